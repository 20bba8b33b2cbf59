"""Text of the water allocation challenge: what a resident reads of its health and of days without water."""

from __future__ import annotations

from water_tables import bid, drought, table_of


def test_days_without_water_are_counted_in_words():
    table = table_of(drought([(5, 100), (7, 80)], [7, 7, 7, 7], start_health=9))
    assert "without water." not in table.text(0)
    bid(table, 0, 80)
    assert "r0: balance $100, health 8, 1 day without water." in table.text(0)
    assert "r1: balance $0, health 10." in table.text(0)
    bid(table, 0, 80)
    assert "r0: balance $200, health 6, 2 days without water." in table.text(0)


def test_a_resident_reads_how_far_its_health_falls_without_water():
    table = table_of(drought([(5, 100), (7, 80)], [7, 7, 7, 7], start_health=4))
    for falls in ("falls to 3.", "falls to 1.", "falls to -2: you die."):
        assert f"Without water today your health {falls}" in table.text(0)
        bid(table, 0, 80)
    assert "You have died: there is nothing for you to decide any more." in table.text(0)
    assert "r0 has died." in table.text(1)
