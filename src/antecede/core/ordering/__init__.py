"""One file per ordering algorithm, each beside the section of the paper it implements.

Read in this order:

none             no ordering, the baseline
vector           one group, broadcast: a vector clock (002 §7.1)
rst              Raynal, Schiper and Toueg: a matrix of counts (001 §3)
ses              Schiper, Eggli and Sandoz: for each destination, the vector time of what was last sent to it (002 §1)
history          Birman and Joseph: a message brings the messages along that precede it (002 §1)
psync            Peterson, Buchholz and Schlichting: a message names the messages just before it (002 §1)
isis             Birman, Schiper and Stephenson: a vector for each of overlapping groups (003 §2.3)
prs              Prakash, Raynal and Singhal: causal barriers (000 §5)
prs_broadcast    causal barriers for broadcast (000 §8.2)
ks               Kshemkalyani and Singhal: the least control information that keeps causal order (002 §4)
mr_broadcast     Mostefaoui and Raynal, one group: phases, and no stamp (003 §3)
mr               the same for overlapping groups: one count for each group, and resynchronisation (003 §4)
mr_bare_resynch  `mr` with resynchronisations that do not carry their phase (003 §4.1)
mr_scalar        one count for all groups (003 §5.2)
mf               Mattern and Fuenfrocken: the output waits for acknowledgements (002 §7.1)
rendezvous       synchronous unicasts (002 §7.1)
serial           sends one after the other, by a token (002 §7.1)
sps              a message leaves when what precedes it is delivered everywhere
hierarchy        representatives forward: a causal order among few (002 §7.1)
hops             the three hops of a message in a `hierarchy`
representatives  who represents whom in a `hierarchy`
succession       how a representative of a `hierarchy` hands its role over
chain2           chains of length two only, which is NOT causal order (002 §7.1, Lemma 8)
"""
