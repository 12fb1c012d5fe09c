"""What a URL carries that does not say which page it is: data for :mod:`topical_crawler.urls.identity`.

All names are compared in lower case.
"""

import re

TRACKING: frozenset[str] = frozenset(
    {
        # advertising click ids: Google, Facebook, Microsoft, Yandex, Baidu, Tencent, 360, ByteDance
        *(
            "gclid",
            "gclsrc",
            "dclid",
            "gbraid",
            "wbraid",
            "fbclid",
            "msclkid",
            "yclid",
            "bd_vid",
            "bd_source",
            "gdt_vid",
            "qz_gdt",
        ),
        *("qhclickid", "clickid", "ttclid"),
        # web analytics: Google, Baidu Tongji, Alibaba, Bilibili, Sina, Netease, Sohu
        *("_ga", "_gl", "hmsr", "hmpl", "hmcu", "hmkw", "hmci", "spm", "scm", "spm_id_from", "from_spmid", "vd_source", "seid"),
        *("sudaref", "spss", "spsw", "_trans_"),
        # WeChat, Weibo, Toutiao and other shares
        *(
            "isappinstalled",
            "nsukey",
            "wxshare_count",
            "wx_share",
            "mpshare",
            "chksm",
            "pass_ticket",
            "ascene",
            "exportkey",
            "exptype",
        ),
        *("weibo_id", "weibo_from", "sinawapsharesource", "tt_from", "tt_medium", "bbid"),
        # where the reader came from
        *("fromid", "fromtitle", "fromuid", "from_source", "from_wecom", "fromsource", "fromapp", "referer", "referrer"),
    }
)
"""Parameters that never choose the content, whatever their value."""

TRACKING_PREFIXES: tuple[str, ...] = ("utm_", "share_", "sharer_", "mtm_", "pk_", "wt_mc")
"""Families of such parameters: campaign tags and the shares of apps (``share_token``, ``sharer_shareid`` …)."""

ORIGIN: frozenset[str] = frozenset({"from", "fr", "frm"})
"""Where the reader came from, when the value is a word (``from=hot``, ``wap``, ``timeline``, ``singlemessage``, ``groupmessage``,
``search``; ``fr=aladdin``). A number or a date is an offset or the start of a range (``from=20``, ``from=2019-01-01``), and
beside a ``to`` it is one end of a pair (``from=CNY&to=USD``): those are content."""

ORIGIN_VALUE = re.compile(r"[A-Za-z][\w.\-]*", re.ASCII)

SESSION: frozenset[str] = frozenset({"jsessionid", "phpsessid", "asp.net_sessionid", "oscsid", "cftoken", "cfid", "zenid"})
"""Names that only ever carry a session."""

SESSION_PREFIXES: tuple[str, ...] = ("aspsessionid",)

SESSION_BY_VALUE: frozenset[str] = frozenset({"sid", "ssid", "s", "sess", "sessid", "session", "sessionid", "session_id"})
"""Names that carry a session or a content id: the shape of the value (:data:`SESSION_VALUE`) decides, so ``sid=12`` stays."""

SESSION_VALUE = re.compile(
    r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[0-9A-Za-z]{16,}"
    r"|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
)
"""A token: at least 16 letters and digits, some of each, or a UUID. Numbers of any length and words with hyphens are content."""

SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|aspsessionid\w*|sessionid)=[^/;]*", re.IGNORECASE)
"""The session as a parameter of a path segment, as Java servers write it (``a.do;jsessionid=1B2C``)."""

SESSION_SEGMENT = re.compile(r"/\([SAFX]\([0-9A-Z]{16,}\)\)(?=/)", re.IGNORECASE)
"""The session as a path segment of its own, as ASP.NET writes it (``/(S(lit3py55t21z5v55vlm25s55))/a.aspx``)."""

INDEX_PAGE = re.compile(r"/(?:index|default)\.(?:html?|shtml?|xhtml|php[345]?|aspx?|jspx?|jhtml|do|cgi|cfm)\Z", re.IGNORECASE)
"""The page a server gives for a directory. ``index_2.shtml`` is the second page of a list and stays."""

BINARY: frozenset[str] = frozenset(
    {
        *("jpg", "jpeg", "jpe", "png", "gif", "bmp", "webp", "svg", "ico", "tif", "tiff", "psd", "ai", "eps", "heic", "avif"),
        *("zip", "rar", "7z", "gz", "tgz", "bz2", "xz", "tar", "iso", "dmg", "jar", "cab", "z"),
        *("mp3", "wav", "wma", "ogg", "flac", "aac", "m4a", "amr", "mid", "ape"),
        *(
            "mp4",
            "avi",
            "wmv",
            "flv",
            "f4v",
            "mov",
            "mkv",
            "rm",
            "rmvb",
            "mpg",
            "mpeg",
            "m3u8",
            "ts",
            "webm",
            "3gp",
            "swf",
            "m4v",
        ),
        *(
            "pdf",
            "doc",
            "docx",
            "xls",
            "xlsx",
            "ppt",
            "pptx",
            "pps",
            "wps",
            "et",
            "dps",
            "ofd",
            "ceb",
            "caj",
            "rtf",
            "odt",
            "ods",
        ),
        *("exe", "msi", "apk", "ipa", "deb", "rpm", "bin", "dll", "so", "torrent", "class", "pkg", "dat", "epub"),
        *("css", "js", "mjs", "map", "woff", "woff2", "ttf", "otf", "eot", "csv", "db", "bak"),
    }
)
"""File name extensions of what is no page: pictures, archives, sound, film, office files, programs, parts of pages."""
