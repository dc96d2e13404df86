"""boardkit: write KiCad 10 projects as text from a compact Python description.

A design places symbols (`schematic`), draws its parts (`symbols`, `footprints`), and lays them out on a routed board
(`board`, `router`); `project` writes settings and libraries. Same input, same bytes: ids come from names.
"""
