"""The console script, and `python -m copperbench`: sets the collector before anything is loaded, then runs a verb."""

from gc import set_threshold


def main() -> None:
    """Run the verb that the command line names; the process ends with the exit code of STANDARD 14."""
    # Classes while they are loaded and a board once it is read stay until the verb is done: looking for cycles among
    # them takes a tenth of a grade.
    set_threshold(50_000, 20, 20)
    from copperbench.cli import main as run

    run()


if __name__ == "__main__":
    main()
