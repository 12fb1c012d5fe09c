"""HTML of the bookshop: a frame, lists of books, and two layouts of the page of a book."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from bookshop_books import Book, Stock, number
from bookshop_search import PER_PAGE, Result, search_url
from layout import draw

SITE = "banshuzhai.example"
HOME = f"http://www.{SITE}/"
CART, LOGIN = f"{HOME}cart", f"{HOME}login"
SHOP = "半书斋"
_NEIGHBOURS = 2


def book_url(book: Book) -> str:
    """Address of a book's page."""
    return f"http://item.{SITE}/{10_000 + book.doc}.html"


def category_url(place: int, page: int = 1) -> str:
    """Address of a category's list, categories and pages counted from 1."""
    return f"{HOME}list/{place}.html" if page == 1 else f"{HOME}list/{place}-{page}.html"


def tracked_url(book: Book) -> str:
    """The address that the home page's list of best sellers links to."""
    return f"{book_url(book)}?ref=index"


def related(book: Book, books: Sequence[Book]) -> list[Book]:
    """What a book's page recommends: four of the same subject, and four that customers "also bought", of whatever kind."""
    same = [b for b in books if b is not book and (b.grade == 2 if book.grade == 2 else b.category == book.category)]
    near = draw(same, 4, f"same {book.title}", _title)
    return near + draw([b for b in books if b is not book and b not in near], 4, f"bought {book.title}", _title)


def frame(title: str, main: str, head: str = "", hot: str = "") -> str:
    """A page; ``hot`` is a search that the header proposes."""
    proposal = f' 热搜：<a href="{escape(search_url(hot))}">{hot}</a>' if hot else ""
    return f"""<!DOCTYPE html>
<html><head>
{head}<title>{escape(title)}</title>
</head><body>
<div class="top"><a href="{HOME}">{SHOP}</a> <a href="{LOGIN}">登录</a> <a href="{CART}">购物车</a>{proposal}</div>
{main}
<div class="foot">{SHOP} 客服0000-67890</div>
</body></html>
"""


def declared(keywords: str, description: str) -> str:
    """Meta elements of a page that says what it is."""
    return (
        f'<meta charset="utf-8">\n<meta name="keywords" content="{escape(keywords)}">\n'
        f'<meta name="description" content="{escape(description)}">\n'
    )


def rows(results: Iterable[Result]) -> str:
    """A list of books as search and category pages show them."""
    lines = [
        f'<li><a href="{book_url(r.book)}">{escape(r.book.title)}</a> <i>{r.book.author}</i> <b>￥{r.book.price}</b>'
        f"{' <em>广告</em>' if r.paid else ''}</li>"
        for r in results
    ]
    return '<ul class="goods">\n' + "\n".join(lines) + "\n</ul>"


def links(items: Iterable[tuple[str, str]]) -> str:
    """Links in a row."""
    return " ".join(f'<a href="{escape(url)}">{escape(text)}</a>' for url, text in items)


def pager(addresses: Sequence[str], page: int) -> str:
    """Links to the pages around ``page`` (from 1), and to the one before and the next; "" for a single page."""
    if len(addresses) == 1:
        return ""
    shown = range(max(1, page - _NEIGHBOURS), min(len(addresses), page + _NEIGHBOURS) + 1)
    items = [(addresses[n - 1], str(n)) for n in shown if n != page]
    if page > 1:
        items.insert(0, (addresses[page - 2], "上一页"))
    if page < len(addresses):
        items.append((addresses[page], "下一页"))
    return f'<div class="page">{links(items)} 共{len(addresses)}页</div>'


def list_page(title: str, results: Sequence[Result], addresses: Sequence[str], page: int, further: str) -> str:
    """A result page or a page of a category's list; ``further`` is HTML below the books."""
    main = f"<h1>{escape(title)}</h1>\n{rows(results)}\n{pager(addresses, page)}\n{further}"
    return frame(f"{title} - {SHOP}", main, '<meta charset="utf-8">\n')


def nothing_found(keyword: str, further: str) -> str:
    """The answer to a search that finds no book."""
    main = f"<h1>{keyword}</h1>\n<p>抱歉，没有找到与“{keyword}”相关的商品，换个词试试吧。</p>\n{further}"
    return frame(f"{keyword} - 商品搜索 - {SHOP}", main, '<meta charset="utf-8">\n')


def home(stock: Stock, sellers: Sequence[Book], searches: Iterable[str]) -> str:
    """The home page: categories with their newest books, the best sellers behind tracking addresses, searches."""
    parts = []
    for place, name in enumerate(stock.categories, 1):
        newest = links((book_url(b), b.title) for b in [b for b in stock.books if b.category == name][-3:])
        parts.append(f'<h2><a href="{category_url(place)}">{name}</a></h2>\n<p>{newest}</p>')
    best, wanted = links((tracked_url(b), b.title) for b in sellers), links((search_url(s), s) for s in searches)
    for name, shown in (("本周热卖", best), ("大家都在搜", wanted)):
        parts.append(f'<div class="hot"><h3>{name}</h3>{shown}</div>')
    head = declared(f"{SHOP},网上书店", f"{SHOP}网上书店，每日更新，满六十九元包邮。")
    return frame(f"{SHOP}网上书店", "\n".join(parts), head)


def is_listed(book: Book) -> bool:
    """Whether a book's page has the older layout, a definition list under the name 内容提要."""
    return number(book.title, "layout", 3) == 0


def is_undeclared(book: Book) -> bool:
    """Whether a book's page is in GBK and does not say so."""
    return number(book.title, "encoding", 24) == 0


def detail(book: Book, stock: Stock, hot: str) -> str:
    """The page of a book."""
    title = escape(book.title)
    place = list(stock.categories).index(book.category) + 1
    crumb = f'<div class="crumb"><a href="{HOME}">首页</a> &gt; <a href="{category_url(place)}">{book.category}</a></div>'
    buy = f'<a href="{CART}/add?id={book.doc}">加入购物车</a>'
    facts = (f"作者：{book.author}", f"出版社：{book.publisher}", f"书号：{book.code}", f"定价：￥{book.price}")
    recommended = "\n".join(f'<li><a href="{book_url(b)}">{escape(b.title)}</a></li>' for b in related(book, stock.books))
    advice = f'<div class="rec"><h4>相关推荐</h4>\n<ul>\n{recommended}\n</ul></div>'
    said = "".join(f"<p>{review}</p>" for review in draw(stock.reviews, number(book.title, "reviews", 3), book.title))
    about = f"{book.author}，{book.about}"
    if is_listed(book):
        listed = "".join(f"<dd>{fact}</dd>" for fact in facts)
        reviews = f"<dt>读者评论</dt>\n<dd>{said}</dd>\n" if said else ""
        main = (
            f"{crumb}\n<h1>{title}</h1>\n<dl><dt>商品信息</dt>{listed}</dl>\n{buy}\n"
            '<ul class="tab"><li>内容提要</li><li>目录</li><li>作者介绍</li></ul>\n<dl class="text">\n'
            f"<dt>内容提要</dt>\n<dd>{book.intro}</dd>\n<dt>目录</dt>\n<dd>{' / '.join(book.contents)}</dd>\n"
            f"<dt>作者介绍</dt>\n<dd>{about}</dd>\n{reviews}</dl>\n{advice}"
        )
    else:
        chapters = "<br>".join(f"第{n}章 {chapter}" for n, chapter in enumerate(book.contents, 1))
        reviews = f'<h3>读者评论</h3>\n<div class="con">{said}</div>\n' if said else ""
        main = (
            f'{crumb}\n<h1>{title}</h1>\n<ul class="info">{"".join(f"<li>{fact}</li>" for fact in facts)}</ul>\n{buy}\n'
            f'<h3>内容简介</h3>\n<div class="con">{book.intro}</div>\n<h3>目录</h3>\n<div class="con">{chapters}</div>\n'
            f'<h3>作者简介</h3>\n<div class="con">{about}</div>\n{reviews}{advice}'
        )
    head = declared(f"{book.title},{book.author},{book.publisher}", f"{book.title}，{SHOP}正版图书。")
    return frame(f"《{book.title}》（{book.author}）- {SHOP}", main, "" if is_undeclared(book) else head, hot)


def shelf(books: Sequence[Book]) -> list[list[Result]]:
    """Pages of a category's list, what sells best first."""
    ordered = sorted(books, key=lambda b: (-b.popularity, b.doc))
    return [[Result(b) for b in ordered[i : i + PER_PAGE]] for i in range(0, len(ordered), PER_PAGE)]


def _title(book: Book) -> str:
    return book.title
