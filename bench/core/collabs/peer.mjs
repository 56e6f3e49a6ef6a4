// The peer: Collabs driven by a schedule that antecede is driven by as well.
//
// Reads one job as JSON from standard input, {n, steps, payload_bytes, replica_ids, passes}, and writes one result to
// standard output. The steps are those of ../traffic.py. Each replica is a CRuntime that puts messages in causal order
// itself (causalityGuaranteed: false). One broadcast is one transaction with one operation, and one message.
//
// The operation is that of a CPrimitive of our own, the smallest thing in Collabs that can send: it has no state, hands
// its bytes on as they are, asks for neither Lamport time nor wall clock, and is registered under the empty name. A
// CCounter would add its own serialised fields, a CMessenger an event for each delivery.
//
// The schedule is played once under the eye of `verified`, then until the compiler is warm, then `passes` times on
// record.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { insist, Judge } from "./judge.mjs";

const require = createRequire(import.meta.url);
const { CPrimitive, CRuntime } = require("@collabs/collabs");
const { version } = require("@collabs/collabs/package.json");

const WARM_UP_MS = 1000;

class Sender extends CPrimitive {
  constructor(init, delivered) {
    super(init);
    this.delivered = delivered;
  }

  broadcast(payload) {
    this.sendPrimitive(payload);
  }

  receivePrimitive(payload, meta) {
    if (!meta.isLocalOp) this.delivered(payload, meta);
  }

  savePrimitive() {
    return new Uint8Array();
  }

  loadPrimitive() {}
}

// A replica that puts what it sends on `wire`, which all replicas share.
class Replica {
  constructor(id, wire, delivered) {
    this.runtime = new CRuntime({
      causalityGuaranteed: false,
      autoTransactions: "debugOp", // each operation is its own transaction
      debugReplicaID: id,
    });
    this.sender = this.runtime.registerCollab("", (init) => new Sender(init, delivered));
    this.runtime.on("Send", (event) => wire.push(event.message));
  }

  send(payload) {
    this.sender.broadcast(payload);
  }

  receive(message) {
    this.runtime.receive(message);
  }
}

// Does nothing with the same calls: what a pass over it costs is the loop's, not Collabs'.
class Idle {
  constructor(wire) {
    this.wire = wire;
    this.bytes = 0;
  }

  send(payload) {
    this.wire.push(payload);
  }

  receive(message) {
    this.bytes += message.length;
  }
}

// Undefined leaves the choice to Collabs: 10 random letters. A short one is as many letters as n replicas need.
function replicaID(job, index) {
  if (job.replica_ids === "default") return undefined;
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (job.n <= letters.length) return letters[index];
  return letters[Math.floor(index / letters.length)] + letters[index % letters.length];
}

function group(job, make) {
  return Array.from({ length: job.n }, (_, index) => make(index));
}

// Plays the schedule; returns the milliseconds spent in sends and in receives. The clock is read around each unbroken
// row of receives and not around each receive, so that reading it does not count.
function play(steps, replicas, wire, payload) {
  const { who, what } = steps;
  let send_ms = 0;
  let receive_ms = 0;
  for (let at = 0; at < who.length; ) {
    const start = performance.now();
    if (what[at] < 0) {
      replicas[who[at++]].send(payload);
      send_ms += performance.now() - start;
    } else {
      for (; at < who.length && what[at] >= 0; at++) replicas[who[at]].receive(wire[what[at]]);
      receive_ms += performance.now() - start;
    }
  }
  return { send_ms, receive_ms };
}

// What is received in each step, or -1 for a send, in flat arrays that cost the loop next to nothing.
function flat(steps) {
  return {
    who: Int32Array.from(steps, ([, process]) => process),
    what: Int32Array.from(steps, ([kind, , message]) => (kind === "send" ? -1 : message)),
  };
}

function timed(job, steps, payload) {
  const wire = [];
  let deliveries = 0;
  const replicas = group(job, (index) => new Replica(replicaID(job, index), wire, () => deliveries++));
  const times = play(steps, replicas, wire, payload);
  insist(deliveries === wire.length * (job.n - 1), `${deliveries} deliveries of ${wire.length} messages`);
  return times;
}

function idle(job, steps, payload) {
  const wire = [];
  return play(steps, group(job, () => new Idle(wire)), wire, payload);
}

// Plays the schedule unclocked. Every message must be delivered to every other replica, once, whole, and after all that
// its sender had sent or delivered before it; this is judged by the bytes that went in and came out, not by Collabs'
// clocks. Returns the sizes of the messages and what they carried.
function verified(job, payload) {
  const wire = [];
  const judge = new Judge(job.n);
  const delivered = []; // what the step at hand delivered; judged after it, for Collabs swallows a handler's errors
  let entries = 0;
  let held_back = 0;
  const replicas = group(job, (index) => {
    const replica = new Replica(replicaID(job, index), wire, (bytes, meta) => {
      insist(bytes.length === payload.length, `a payload of ${bytes.length} bytes`);
      entries += meta.runtimeExtra.maximalVCKeyCount;
    });
    replica.runtime.on("Update", (event) => event.isLocalOp || delivered.push(event.update));
    return replica;
  });

  for (const [kind, process, number] of job.steps) {
    if (kind === "send") {
      replicas[process].send(payload);
      judge.sent(process, wire.at(-1));
      insist(wire.length === judge.messages, `${wire.length} messages from ${judge.messages} sends`);
    } else {
      replicas[process].receive(wire[number]);
      if (delivered.length === 0) held_back++;
      for (const message of delivered.splice(0)) judge.delivered(process, message);
    }
  }
  const { deliveries } = judge;
  insist(deliveries === wire.length * (job.n - 1), `${deliveries} deliveries of ${wire.length} messages`);
  return { sizes: wire.map((message) => message.length), entries_mean: entries / deliveries, deliveries, held_back };
}

function main() {
  const job = JSON.parse(readFileSync(0, "utf8"));
  const payload = new Uint8Array(job.payload_bytes).fill(0x61);
  const steps = flat(job.steps);
  const { sizes, ...counts } = verified(job, payload);
  const warm_ms = performance.now() + WARM_UP_MS;
  do {
    timed(job, steps, payload);
    idle(job, steps, payload);
  } while (performance.now() < warm_ms);
  const passes = Array.from({ length: job.passes }, () => timed(job, steps, payload));
  const loop = idle(job, steps, payload);
  const result = {
    version,
    node: process.versions.node,
    messages: sizes.length,
    bytes_min: sizes.reduce((least, size) => Math.min(least, size)),
    bytes_mean: sizes.reduce((sum, size) => sum + size) / sizes.length,
    bytes_max: sizes.reduce((most, size) => Math.max(most, size)),
    ...counts,
    send_seconds: passes.map((pass) => pass.send_ms / 1000),
    receive_seconds: passes.map((pass) => pass.receive_ms / 1000),
    loop_seconds: loop.receive_ms / 1000,
  };
  process.stdout.write(JSON.stringify(result));
}

main();
