"""Small models of a user's own, made in the tests: a scikit-learn pipeline, a model2vec folder, a server like OpenAI's.

What takes seconds to import waits until it is needed: every process that runs a part of the tests imports this.
"""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import numpy as np

from topical_crawler.meaning.encoder import open_encoder
from topical_crawler.topic.files import MarkedText
from topical_crawler.topic.topic import Topic

PARTY = [
    "党支部召开组织生活会，党员逐一发言，开展批评和自我批评。", "社区党委组织党员学习党章，重温入党誓词，交流学习体会。",
    "县委部署主题教育，要求各级党组织把理论学习贯穿始终。", "机关党支部与村党支部结对共建，党员上门听取群众意见。",
    "纪委通报违反中央八项规定精神的问题，推动全面从严治党。", "老党员为青年讲党课，回顾入党五十年的初心和使命。",
    "基层党组织换届选举工作结束，新一届支部委员会产生。", "组织部举办党务工作者培训班，讲解发展党员的程序。",
    "党员先锋岗在车间设立，支部书记带头承担急难任务。", "乡镇党校开班，学员围绕党的建设和乡村治理开展研讨。",
    "党建引领小区治理，楼栋党小组收集居民诉求并限期办结。", "学校党总支开展红色教育，组织党员参观革命纪念馆。",
]  # fmt: skip
OTHER = [
    "主队在第八十分钟攻入制胜一球，球迷在看台上欢呼。", "冷空气南下，明天气温下降六度，夜间有小雨和大风。",
    "今年苹果丰收，果农在市场上以每斤三元的价格出售。", "新款手机电池容量更大，屏幕刷新率也有所提高。",
    "医院开设儿童呼吸门诊，提醒家长及时接种流感疫苗。", "电影节闭幕，年轻导演的处女作获得最佳影片奖。",
    "银行下调存款利率，股市成交量比上周明显放大。", "游客在古城品尝小吃，民宿预订量比去年增加两成。",
    "乒乓球公开赛落幕，选手三比一战胜对手夺得冠军。", "地铁三号线延长线通车，沿途设置九座车站。",
    "厨师教大家做红烧鱼，先用姜片去腥再小火慢炖。", "气象台发布大雾预警，高速公路部分路段临时封闭。",
]  # fmt: skip
NEW_PARTY, NEW_OTHER = "镇党委组织党员上党课，各支部交流主题教育的学习体会。", "客队门将扑出点球，比赛以二比二战平，球迷鼓掌。"


def marked_topic(each: int = 12, **fields: Any) -> Topic:
    """A topic with so many marked texts of each kind."""
    texts = [(text, "relevant") for text in PARTY[:each]] + [(text, "irrelevant") for text in OTHER[:each]]
    marked = tuple(MarkedText(f"http://a.cn/{n}", text[:6], text, mark) for n, (text, mark) in enumerate(texts))
    return Topic("party", "党建", {"党员": 2.0, "党支部": 1.0, "党组织": 1.0}, marked=marked, **fields)


def save_pipeline(file: Path, labels: tuple[Any, Any] = (0, 1), **vectorizer: Any) -> Path:
    """A logistic regression over the pairs of characters in :data:`PARTY` and :data:`OTHER`."""
    import skops.io
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(
        TfidfVectorizer(**{"analyzer": "char", "ngram_range": (1, 2), **vectorizer}), LogisticRegression(C=30)
    )
    pipeline.fit(OTHER + PARTY, [labels[0]] * len(OTHER) + [labels[1]] * len(PARTY))
    skops.io.dump(pipeline, file)
    return file


def save_vectors(folder: Path) -> Path:
    """A static model of the characters in the texts: their first singular vectors over the texts (LSA)."""
    from model2vec import StaticModel
    from tokenizers import Regex, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Split

    characters = sorted({c for text in PARTY + OTHER for c in text})
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0} | {c: n for n, c in enumerate(characters, 1)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Split(Regex("."), "isolated")  # type: ignore[assignment]
    counts = np.array([[text.count(c) for text in PARTY + OTHER] for c in characters], dtype=float)
    left, sizes, _ = np.linalg.svd(counts * np.log(25 / (counts > 0).sum(axis=1, keepdims=True)), full_matrices=False)
    vectors = np.vstack([np.zeros(8), left[:, :8] * sizes[:8]]).astype(np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(folder)
    return folder


class Chat:
    """A server with ``/v1/chat/completions``, or with ``/v1/embeddings``, on 127.0.0.1. ``reply`` gets the texts of a request and
    its number, from 0, and returns a status with a body, or the content of the model's message."""

    def __init__(self, reply: Callable[[list[str], int], tuple[int, bytes] | str], service: str = "chat/completions") -> None:
        self.requests: list[dict[str, Any]] = []
        self.batches: list[list[str]] = []
        self.keys: list[str | None] = []
        chat = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                texts = request["input"] if "input" in request else json.loads(request["messages"][-1]["content"])
                chat.requests.append(request)
                chat.batches.append(texts)
                chat.keys.append(self.headers["Authorization"])
                answer = reply(texts, len(chat.batches) - 1) if self.path == f"/v1/{service}" else (404, b"")
                if isinstance(answer, str):
                    answer = 200, json.dumps({"choices": [{"message": {"role": "assistant", "content": answer}}]}).encode()
                status, body = answer
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Retry-After", "0")
                self.send_header("Location", "/v1/elsewhere")
                self.end_headers()
                with suppress(OSError):  # whoever asked has hung up
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Tests look at ``batches``."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def asked(self) -> list[str]:
        """All texts, in their order."""
        return [text for batch in self.batches for text in batch]


def by_party(texts: list[str], number: int = 0) -> str:
    """What a good model answers: yes to texts that speak of the party."""
    return json.dumps({"answers": ["党" in text for text in texts]})


def by_bundled(texts: list[str], number: int = 0) -> tuple[int, bytes]:
    """The vectors of the bundled encoder, twice as long and in another order, in OpenAI's form."""
    encoder = open_encoder("bundled")
    assert encoder is not None
    rows = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate((2 * encoder.encode(texts)).tolist())]
    return 200, json.dumps({"object": "list", "data": rows[::-1], "model": "use-3", "usage": {"prompt_tokens": 1}}).encode()
