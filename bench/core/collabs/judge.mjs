// Judges whether what a replica delivered was delivered once and in causal order, without a look at Collabs' clocks.
//
// Knows a message by the identity of its bytes, and its causal past by what its sender had seen of each other sender.

export function insist(condition, complaint) {
  if (!condition) throw new Error(`Collabs did not do what the measurement takes for granted: ${complaint}`);
}

export class Judge {
  constructor(n) {
    this.seen = Array.from({ length: n }, () => new Int32Array(n)); // by process: messages sent or delivered, by sender
    this.origins = new Map(); // message -> {sender, past}
    this.deliveries = 0;
  }

  get messages() {
    return this.origins.size;
  }

  sent(sender, message) {
    this.origins.set(message, { sender, past: this.seen[sender].slice() });
    this.seen[sender][sender]++;
  }

  delivered(process, message) {
    const { sender, past } = this.origins.get(message);
    const seen = this.seen[process];
    insist(past.every((count, other) => seen[other] >= count), `a message of ${sender} too early at ${process}`);
    insist(seen[sender] === past[sender], `a message of ${sender} twice at ${process}`);
    seen[sender]++;
    this.deliveries++;
  }
}
