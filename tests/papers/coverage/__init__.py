"""What the papers describe, item by item, and what became of each: `docs/coverage.md` is made from these declarations.

row        what is declared of an item
prs        000, Prakash, Raynal, Singhal
av         001, Alagar, Venkatesan
ks         002, Kshemkalyani, Singhal
mr         003, Mostefaoui, Raynal
msv        004, Meldal, Sankar, Vera

An item is a mechanism, a lemma, an example, an experiment or a claim. Its number is that of the paper and its place.
"""
