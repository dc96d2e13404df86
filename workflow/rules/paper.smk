"""The paper: its numbers from one named campaign, and its PDF."""

SNAPSHOT = config.get("paper_snapshot") or "paper-snapshot-is-not-set"
PAPER_NUMBERS = ["paper/generated/macros.tex", "paper/generated/tables.tex"]


rule paper:
    """Every figure that the paper may use, from the records of `--config paper_snapshot=DATE`."""
    input:
        sorted(iglob(f"results/{SNAPSHOT}/*/*/run-*.json")),
    output:
        PAPER_NUMBERS,
    log:
        "build/logs/paper.log",
    params:
        snapshot=f"results/{SNAPSHOT}",
    message:
        "paper: numbers of {params.snapshot}"
    shell:
        "copperbench paper numbers {params.snapshot} --out paper/generated > /dev/null 2> {log}"


rule paper_pdf:
    """The PDF; no quantity in its results may be typed by hand."""
    input:
        PAPER_NUMBERS,
        "paper/main.tex",
        "paper/references.bib",
        sorted(iglob("paper/sections/*.tex")),
    output:
        "build/paper/main.pdf",
    log:
        "build/logs/paper-pdf.log",
    message:
        "paper: build/paper/main.pdf"
    shell:
        "(copperbench paper claims paper/sections && latexmk -cd -pdf -interaction=nonstopmode -halt-on-error"
        " -outdir=$PWD/build/paper paper/main.tex) > {log} 2>&1"
