"""The static site: every figure, model, task, fixture and run as pages that open from a folder (STANDARD 12).

No page loads anything from elsewhere. Whatever a transcript, a board or a task says is untrusted: templates escape
it, and a page runs its own script and no other.
"""

from copperbench.reporting.site.build import SiteReport, build_site

__all__ = ["SiteReport", "build_site"]
