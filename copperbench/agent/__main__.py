"""`python -m copperbench.agent`: the console script by another name."""

from copperbench.agent import main

main()
