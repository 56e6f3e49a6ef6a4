"""What the clocks of `antecede locality` would save, in words."""

from antecede.pipeline.report.locality_saving import saving


def test_what_locality_saves_is_said_for_graphs_up_to_a_size() -> None:
    hub = [(name, "hub") for name in ("s1", "s2", "s3")]
    assert "less on the wire" in saving([*hub, *((hub, name) for name, hub in hub), ("s1", "s1")])
    assert saving([("a", "a")]) == ""
    assert "antecede locality" in saving(hub, complete=False)
