"""Small language resources that tests of measures and of hypernyms write on the spot."""

import json
from pathlib import Path

from topical_crawler.resources.registry import Resources

GLOSSARY = """\
操作系统 N software|软件,*control|控制,#computer|电脑
软件 N software|软件
电脑 N computer|电脑
计算机 N computer|电脑
手机 N tool|用具,*communicate|交流
鱼 N character|文字,surname|姓,human|人,ProperName|专
鱼 N fish|鱼
交响乐 N music|音乐,entertainment|艺
内核 N part|部件,%entity|实体,heart|心
但是 CONJ {concession|让步}
"""
TREE = """\
0 entity|实体 0
1 implement|器具 0
2 computer|电脑 1
3 software|软件 1
4 tool|用具 1
5 animal|兽 0
6 fish|鱼 5
7 music|音乐 0
8 part|部件 0
"""
CILIN = """\
Bc01A01= 计算机 电脑 微机
Bo29A01= 软件 软体
Bo29A02# 程序 数据库
Dk28A01= 乐曲 曲子
"""
_SONGS = {"28": {"tag": "音乐 歌", "sub": {"A": {"tag": "乐曲 音乐", "sub": {"01=": ["乐曲", "曲子"]}}}}}
CILIN_TREE = {"D": {"tag": "抽象事物", "sub": {"k": {"tag": "文教", "sub": _SONGS}}}}
CLC = {
    "TP": {"name": "自动化技术、计算机技术", "up_level": None},
    "TP18": {"name": "人工智能理论", "up_level": "TP"},
    "TP181": {"name": "自动推理、机器学习", "up_level": "TP18"},
}
VECTORS = """\
4 2
软件 1 0
程序 0.9 0.1
驱动 0.8 0.2
足球 0 1
"""
FILES = {
    "hownet": ("glossary.txt", GLOSSARY),
    "hownet_tree": ("tree.txt", TREE),
    "cilin": ("cilin.txt", CILIN),
    "cilin_tree": ("cilin_tree.json", json.dumps(CILIN_TREE, ensure_ascii=False)),
    "clc": ("clc.json", json.dumps(CLC, ensure_ascii=False)),
    "vectors": ("vectors.txt", VECTORS),
}


def write_resources(folder: Path, *names: str) -> Resources:
    """The named resources as files of one's own; all of them where none is named."""
    overrides = {}
    for name in names or FILES:
        file, text = FILES[name]
        (folder / file).write_text(text, encoding="utf-8")
        overrides[name] = folder / file
    return Resources(None, overrides)
