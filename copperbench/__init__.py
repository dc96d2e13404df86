"""copperbench: can a language-model agent edit real KiCad hardware projects?

The rooms, in import order: suite, kicad, scaffold, sandbox, evidence, grading, records, reporting; the
leaves harness, agent and variants; and cli, which wires them together. ARCHITECTURE.md has the map.
"""

__version__ = "0.1.0"
