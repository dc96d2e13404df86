"""The design documents: our own `init`, Markdown tables, drift rules and registered constraints.

What an agent reads beside the schematic, and what grading reads of what it wrote there.
"""

from typing import TYPE_CHECKING

from copperbench.on_demand import on_demand

if TYPE_CHECKING:
    from copperbench.scaffold.constraints import (
        BUDGET_SOURCE,
        CONFIG_PATH,
        CONSTRAINTS_PATH,
        Constraint,
        ProjectConfig,
        RecordUnreadable,
        configure,
        forbidden_pins,
        parse_config,
        parse_constraints,
        register_budgets,
    )
    from copperbench.scaffold.documents import init, write_documents
    from copperbench.scaffold.drift import Mismatch, drift, fold
    from copperbench.scaffold.nets import documented_net
    from copperbench.scaffold.project import Project, open_project
    from copperbench.scaffold.tables import (
        DocumentTooLarge,
        Table,
        add_row,
        cell_text,
        delete_rows,
        plain,
        replace_cells,
        tables,
    )

__all__ = [
    "BUDGET_SOURCE",
    "CONFIG_PATH",
    "CONSTRAINTS_PATH",
    "Constraint",
    "DocumentTooLarge",
    "Mismatch",
    "Project",
    "ProjectConfig",
    "RecordUnreadable",
    "Table",
    "add_row",
    "cell_text",
    "configure",
    "delete_rows",
    "documented_net",
    "drift",
    "fold",
    "forbidden_pins",
    "init",
    "open_project",
    "parse_config",
    "parse_constraints",
    "plain",
    "register_budgets",
    "replace_cells",
    "tables",
    "write_documents",
]

__getattr__ = on_demand(__name__)
