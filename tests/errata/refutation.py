"""What came of the attempt to refute each entry of the errata page, with the text of the papers as the authority.

An entry that the attempt refuted is now among the assumptions, or is gone. Of each, the words of the paper that decided
are quoted. `tools.check_quotations` looks them up like those of the entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.errata.erratum import Quotation


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of the attempt to refute one entry: a sentence, and the words of the paper that decided."""

    outcome: str
    decided_by: Quotation


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An entry that does not stand: its paper and what it said, and the verdict."""

    paper: str
    said: str
    verdict: Verdict


def _stands(section: str, words: str, outcome: str = "Stands.") -> Verdict:
    return Verdict(outcome, Quotation(section, words))


VERDICTS: Mapping[str, Verdict] = {
    "Is the sender of a broadcast one of its destinations?": _stands(
        "§5.1",
        "We assume that the process sending message M does not belong to destination(M).",
        "Stands as a contradiction: with the assumption the rows are not equal. That one row for all destinations is "
        "not enough was said too broadly: each destination may be sent its own row; and, as the third reader found, "
        "§8.2 speaks of an algorithm that is easily modified, and if a process counts its own messages as delivered to "
        "itself, the row of the sender is enough on FIFO channels. Now that reading is run too.",
    ),
    "A message may carry indirect predecessors": _stands(
        "§8.1",
        "In the proposed algorithm, a message carries information only about its direct predecessors with respect to "
        "each destination process.",
        "This entry was about §8.3, as an explanation of redundant tuples that is incomplete. The third reader found "
        "that the sentences quoted do not fail, and that one of §8.1 does, if M4 is sent to d. Now the entry is about "
        "that sentence. What was said of broadcasts left out the row of the sender. A fourth reader tried the entry as "
        "it is now, and played its execution by hand: it stands. But its repair said that the data of i do not show "
        "that M1 was dropped, which they do in this execution, and not in all; and that all such tuples came back, "
        "though some were never dropped.",
    ),
    "The counters of a host stop at the first message for somebody else": _stands(
        "§9.1",
        "At this point of time the MSS increments h_RECD_h[M_init] by 1",
        "Stands, of this text. There is no other step that increments the counter. The third reader found that the "
        "entry assumed what the paper does not say of channels, and did not say that §9.1 is an overview which takes "
        "this part from another paper.",
    ),
    "A stale notification puts the location back": _stands(
        "§5.2",
        "After receiving notify(h_k, s_i, s_j), MSS s will send messages meant for MH h_k only to s_j",
        "Stands, if the sentence is followed to the letter: two instructions conflict. A station that puts the moves "
        "one after the other, as what a notification signifies may be read, is right in this execution, and was not "
        "granted at first. If a host returns to a cell, it can be wrong, by what it does when two orders are possible. "
        "The third reader found that a station which then stays with the place it has is right there too; now that is "
        "run.",
    ),
    "A misprint sends handoff_begin to its own sender": _stands(
        "§5.2", "MSS s_i, after receiving the message handoff_begin(h_k) from s_j", "Stands, as a misprint."
    ),
    "Is Algorithm 1 graceful to disconnections?": _stands(
        "§1.1",
        "Algorithm 2 eliminates the problems in Algorithm 1.",
        "Stands, as a missing word. What is eliminated is said to be a problem. The third reader found that a "
        "measurement of static arrays was called the truth about a word, though §4.3 says that they need not be "
        "static.",
    ),
    "Looking ahead breaks causal order when the sender prunes (§4.3)": _stands(
        "§4.5",
        "The form in which the algorithm is presented requires that during a multicast, the message sent to the "
        "various destinations is different.",
        "Stands for the form of §4.3, and not for the hardware multicast of the first note, of which it was said too. "
        "With RCV(3) ahead this execution comes right, and others do not; the last sentence of the note, now quoted, "
        "names RCV(4) and RCV(5) alone.",
    ),
    "A misprint in RCV(4) keeps what is no longer owed": _stands(
        "§4.4", "Therefore, delete the entries o_{i,7}, o_{i,12}, l_{i,10}, and l_{i,14}.", "Stands, as a misprint."
    ),
    "The complement halves an entry, not a sender": _stands(
        "§6.2",
        "Φ_i denotes the destinations to which the messages from node i are not yet known to be delivered",
        "Stands. A number of another bound was in the column of ours.",
    ),
    "With BS1 as printed, timestamps cannot be inferred": _stands(
        "§3.2",
        "BS1: When P_i sends m broadcast (m, expected_i[i]);",
        "Stands, for senders that do not wait. The rules hold if a sender waits until all have reached its phase, "
        "which §3.1 may be read to ask for, and BS1 does not do. The first execution turned on the first packet of a "
        "process, of which the rules say nothing; now the packet that is taken for another follows a message. The "
        "third reader asked how many random executions turn on a first packet: most of them do, and the entry now says "
        "how many do not. The title was too broad.",
    ),
    "Nor, by these rules, the order of arrival": _stands(
        "§3.4",
        "Those timestamps are then used to trigger arrival events according to the preceding rules.",
        "Stands, with the same other execution, and for senders that do not wait. The same was asked of first packets, "
        "and the title was too broad too.",
    ),
    "No cycle of groups is not enough": _stands(
        "§2.1", "two groups are immediate neighbors if there is a process that is member of these two groups"
    ),
    "The proof of liveness waits for the wrong message": _stands(
        "§4.4.2",
        "Now consider the case of a message (m, K) that arrived and has been put in pending_i.",
        "Stands. The case is of any message that has arrived, whatever its group.",
    ),
    "A gateway may hear of a message before the message comes": _stands(
        "§3",
        "The algorithms being developed will determine the potential causality relationship with respect to the "
        "sending of these messages.",
        "Stands. The order of arrivals is not what is asked for.",
    ),
    "The hierarchical triangle's saving gives wrong answers": _stands(
        "§5", "Within a triangle, all processes can communicate in both directions with all other processes."
    ),
    "Arrival times need FIFO channels": _stands(
        "§3",
        "For example, if the communication paths are all FIFO, we can determine the sending sequence by observing the "
        "arrival sequence of the messages.",
        "Stands. FIFO channels are an example, for messages of one sender.",
    ),
    "The receiver must be the gateway, not the sender": _stands(
        "§4.4",
        "If the condition being tested (p_R ∈ ClockSet_{p_i}) is true, then p_R is guaranteed to be a gateway",
        "Stands, as a slip.",
    ),
    "A clock may be kept for the sake of another receiver": _stands(
        "§4.4",
        "For each set of distinct processes p_1, p_2 and p_R, where p_1 → p_R and p_2 → p_R",
        "Stands. The lemma is for each such set, so for each receiver.",
    ),
    "The star's observation set": _stands(
        "§4.4",
        "The ObsSet's are calculated just as in Allocation Algorithm 3",
        "Stands as a contradiction without consequences. Neither answer is the truth: one is that of §4.3, and one "
        "that of §5.",
    ),
    "Simple paths keep the verdicts, not the clock values": _stands(
        "§4.2",
        "while still retaining the validity of Theorem 6",
        "Stands, of this sentence. The theorem is about values: FM_p(q) is 2 and C_p(q) is 0. The third reader found "
        "that it was quoted without its condition, which names Allocation 1: the theorem itself is right.",
    ),
}
"""The verdicts by the titles of the errata."""

WITHDRAWN: Sequence[Withdrawal] = (
    Withdrawal(
        "000",
        "Row j of process j may hold messages of which one precedes the other.",
        Verdict(
            "True, and not an error: a set that contains these messages may contain others.",
            Quotation("§5.3", "CB_j[j] is a set of tuples containing the most recent mutually concurrent messages"),
        ),
    ),
    Withdrawal(
        "000",
        "Concurrent messages of one station cannot be delivered in any order.",
        Verdict(
            "Not an error: the sentence about any order is about messages that meet all conditions.",
            Quotation("§9.1", "provided all of the following conditions are satisfied"),
        ),
    ),
    Withdrawal(
        "000",
        "A Delete that overtakes its message deletes nothing.",
        Verdict(
            "Left open: the paper takes this part from another, and does not say how channels between stations are.",
            Quotation(
                "§9",
                "An algorithm to deliver exactly one copy of a message to every destination MH has been presented in "
                "[1]. It addresses the issues raised above.",
            ),
        ),
    ),
    Withdrawal(
        "001",
        "Algorithm 1 holds messages back for nothing, and Table 1 says that it has no inhibition.",
        Verdict(
            "The table is right: inhibition is defined by the queue of Algorithm 2, and no sentence says that no "
            "message waits needlessly in Algorithm 1.",
            Quotation("§5.3", "There is an inhibition in delivering a message to an MH if it is queued in MSS_PENDING"),
        ),
    ),
    Withdrawal(
        "001",
        "A broadcast of notify must not be separate unicasts.",
        Verdict(
            "A question of reading, found so by the third reader: the paper does not say that they are, and with one "
            "causal multicast nothing is wrong.",
            Quotation("§5.2", "broadcasts the message notify(h_k, s_i, s_j) to all the MSSs"),
        ),
    ),
    Withdrawal(
        "001",
        "Below 30 hosts the headers of Algorithms 1 and 2 are not comparable in size. (Never published.)",
        Verdict(
            "Not an error: the paper does not say what comparable is. What we measured is in the reproduction.",
            Quotation("§5.3", "When n_h < 30 the message header in both the [...] are comparable in size."),
        ),
    ),
    Withdrawal(
        "003",
        "GS2 and GS3 overwrite what is expected of a process by what may be less. (Never published.)",
        Verdict(
            "Not an error: on FIFO channels the values of one process only grow.",
            Quotation("§4.1", "To facilitate presentation, channels are assumed FIFO"),
        ),
    ),
    Withdrawal(
        "004",
        "That a sender keeps the clock of the receiver does not make the receiver a gateway. (Never published.)",
        Verdict(
            "It does, with Allocation 4: there is a path from the receiver to that sender, which closes a loop, and of "
            "any two senders one is outside a loop of the other.",
            Quotation("§4.4", "then p_R is guaranteed to be a gateway"),
        ),
    ),
)
"""Entries that do not stand, and suspicions that were not published."""
