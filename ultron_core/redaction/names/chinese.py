"""Chinese person names: word tags of jieba, checked and completed by surnames and the words around them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

__all__ = ["chinese_names", "has_han"]

_COMPOUND = [
    "欧阳",
    "司马",
    "上官",
    "诸葛",
    "东方",
    "皇甫",
    "尉迟",
    "公孙",
    "慕容",
    "令狐",
    "宇文",
    "长孙",
    "司徒",
    "司空",
    "夏侯",
    "端木",
    "百里",
    "东郭",
    "南宫",
    "独孤",
    "轩辕",
    "闻人",
    "澹台",
    "公冶",
    "宗政",
    "濮阳",
    "淳于",
    "单于",
    "太叔",
    "申屠",
    "钟离",
    "呼延",
    "西门",
    "万俟",
    "赫连",
    "拓跋",
    "第五",
    "鲜于",
    "闾丘",
    "完颜",
    "纳兰",
]
_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳"
    "酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞"
    "熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫经房裘缪干解应宗丁宣贲邓"
    "郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁荀羊惠甄曲家封芮羿储靳汲邴糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全郗班仰秋仲伊宫宁仇"
    "栾暴甘厉戎祖武符刘景詹束龙叶幸司韶郜黎蓟薄印宿白怀蒲邰从鄂索咸籍赖卓蔺屠蒙池乔阴胥能苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍"
    "璩桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东殴沃利蔚越夔"
    "隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾沙养鞠须丰巢关蒯相查荆红游竺权盖益桓公肖闫涂付代仝佘岳覃冼麦丘牟"
)
#: surnames that are much more often other words
_RARE = frozenset(
    "水云花时和平明成强路江高夏经房干应单包左石家封松山谷车全秋仲能双通别连习向古易终步都满文广东利师空相关公权红游养须国益代付从"
    "任常安计方于华金元白充农印怀支管解容井车富段"
)
#: a surname with a title identifies nobody by itself (王先生), nor does a department (方外科), e.g. `先生`, `方外科`
_NO_NAME = re.compile(r"先生|女士|小姐|医生|主治|经理|科$")
#: everyday words that begin with a surname and that jieba tags as names: anaesthesia, thanks, (the) space (bar),
#: cold start, allow list
_MISTAGGED = frozenset(("麻醉", "谢谢", "空格", "冷启动", "白名单"))
#: occurrences in jieba's dictionary from which on a word is common; none of the 411 names of MultiPriv begins
#: with a common word
_COMMON_FROM = 300
#: and from which on two characters are one that it calls a name: 齐全 (complete), 索引 (index), 宣言 (declaration)
_COMMON_NAME_FROM = 100
#: e.g. `端`
_HAN = re.compile(r"[\u4e00-\u9fff]")
_H = r"[\u4e00-\u9fff]"
#: what jieba tags at a time, e.g. `王芳是工程师`
_BLOCK = re.compile(r"[\u4e00-\u9fd5a-zA-Z0-9+#&._]+")
#: a block without one holds no name, e.g. `王`, `欧`
_SURNAME = re.compile(f"[{''.join(sorted(_SURNAMES | {name[0] for name in _COMPOUND}))}]")
_TITLE = r"(?:先生|女士|小姐|医生|大夫|老师|教授|经理|主任|博士|护士|律师|同学|师傅|总监|工程师|阿姨|叔叔)"
_LEAD = (
    r"(?:我叫|名叫|叫做|姓名(?:是|为|[:：])?|名字(?:是|叫|[:：])?|联系人(?:是|为|[:：])?|负责人(?:是|为|[:：])?|收件人(?:是|[:：])?"
    r"|主治医[师生](?:为|是)?|患者|客户|同事|用户|作者[:：]|由|经|医生(?:为|是|[:：])?)"
)
_AFTER = r"(?=[，。、；：,.;:！!？?\s]|$|是|的|在|因|于|被|持|通|年|患|医|先|女|负|说|和|与|现|居|目|确|出|为|进|开|诊|主|，|\d|（|\(|他|她|身|治|有|近|已|曾|来|将|提)"  # noqa: E501
#: what announces a name, e.g. `我叫李小明，`, `联系人：王芳。`
_PLAIN_LEAD = re.compile(rf"{_LEAD}\s?({_H}{{2,4}}?){_AFTER}")
#: e.g. `王芳女士`, `李建国医生`
_WITH_TITLE = re.compile(rf"({_H}{{2,4}})(?={_TITLE})")
#: a surname of two characters, e.g. `欧阳娜，`
_COMPOUND_NAME = re.compile(rf"({'|'.join(_COMPOUND)}){_H}{{1,2}}{_AFTER}")
#: a sentence that introduces somebody, e.g. `李小明，男`, `王芳是一位`
_OPENING = re.compile(
    rf"(?:^|[\n。！？；，])\s{{0,4}}({_H}{{2,4}})(?=[，,](?:一[位名]|\d{{1,3}}岁|男|女)|是一[位名]|[（(]?\d{{1,3}}岁)"
)


def has_han(text: str) -> bool:
    """Is there a Chinese character in the text?"""
    return bool(_HAN.search(text))


@lru_cache(maxsize=1)
def _tagger() -> Any:
    import jieba
    import jieba.posseg

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    # the table of words, which takes half a second, was read when the module was imported
    tagger = jieba.posseg.POSTokenizer.__new__(jieba.posseg.POSTokenizer)
    tagger.tokenizer, tagger.word_tag_tab = tokenizer, dict(jieba.posseg.dt.word_tag_tab)
    return tagger


def chinese_names(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of names; may overlap, longer ones first."""
    found = set(_ruled(text))
    for block in _BLOCK.finditer(text):
        if _SURNAME.search(block[0]):
            for start, end, word in _tagged(block[0]):
                stop = block.start() + end
                found.add((block.start() + start, stop + _missed_tail(text, word, stop)))
    yield from sorted(found, key=lambda span: (span[0] - span[1], span[0]))


@lru_cache(maxsize=20_000)
def _tagged(block: str) -> tuple[tuple[int, int, str], ...]:
    """(start, end, word) of the names that jieba sees; texts repeat their blocks, and tagging is slow."""
    found = []
    at = 0
    for word, tag in _tagger().lcut(block):
        start, at = at, at + len(word)
        if tag in ("nr", "nrfg", "nrt") and _HAN.match(word) and _tagged_name(word, tag):
            found.append((start, at, word))
    return tuple(found)


def _ruled(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_PLAIN_LEAD, _WITH_TITLE, _OPENING):
        for match in pattern.finditer(text):
            _start, end = match.span(1)
            value = _from_surname(match[1], pattern is _WITH_TITLE)
            begin = end - len(value)
            if value and not (begin and _begins_inside_word(text, begin)):
                yield begin, end
    for match in _COMPOUND_NAME.finditer(text):
        yield match.span()


def _from_surname(value: str, anywhere: bool) -> str:
    """The part of `value` that has the form surname + given name, else nothing."""
    for begin in range(len(value) - 1 if anywhere else 1):
        name = value[begin:]
        if _NO_NAME.search(name) or _is_common_word(name[:2]):
            continue
        if name[:2] in _COMPOUND and len(name) >= 3:
            return name
        if name[0] in _SURNAMES and 2 <= len(name) <= 3 and not (anywhere and name[0] in _RARE and begin):
            return name
    return ""


def _tagged_name(word: str, tag: str) -> bool:
    if tag == "nrt":
        return 3 <= len(word) <= 6 and word[0] in _SURNAMES and len(word) == 3
    if word[:2] in _COMPOUND:
        return len(word) >= 3
    if word[0] not in _SURNAMES or not 2 <= len(word) <= 3 or _NO_NAME.search(word):
        return False
    if _is_common_word(word[:2]) or word in _MISTAGGED:
        return False
    frequent = _tagger().tokenizer.FREQ.get(word, 0) >= _COMMON_NAME_FROM
    return not (len(word) == 2 and (word[0] in _RARE or frequent))


def _begins_inside_word(text: str, begin: int) -> bool:
    """Neither 司技 in 公司技术 nor 纪人 in 经纪人 is a name."""
    return any(_is_common_word(text[begin - 1 : end]) for end in (begin + 1, begin + 2))


def _is_common_word(word: str) -> bool:
    """Is this a common word other than a name: 石油 (oil), 杭州 (a city), 公司 (company)?"""
    if word in _MISTAGGED:
        return True
    tagger = _tagger()
    tag = tagger.word_tag_tab.get(word, "nr")
    return not tag.startswith("nr") and tagger.tokenizer.FREQ.get(word, 0) >= _COMMON_FROM


def _missed_tail(text: str, word: str, end: int) -> int:
    """jieba often cuts the last character off a three-character name: 柏晓|岚."""
    if len(word) != 2 or end >= len(text) or not _HAN.match(text[end]):
        return 0
    after = text[end + 1 : end + 2]
    return (
        1
        if (not after or after in "，。、；,;（( ")
        and text[end] not in "是的在因于被持和与说有来将已曾年等先女医和了也都吗呢吧"
        else 0
    )
