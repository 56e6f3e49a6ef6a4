"""The papers' pseudo-code as printed, where it is wrong: for the errata and for the lab, never for use."""
