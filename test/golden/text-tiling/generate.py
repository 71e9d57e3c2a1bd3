"""Writes scores.jsonl: what NLTK's TextTilingTokenizer(demo_mode=True) makes of texts made here.

Needs NLTK (the file was made with 3.10.4) and NumPy; no corpus, as the stop words are given. The tests read scores.jsonl alone.
Usage: python3 generate.py > scores.jsonl
"""

import json
import random

from nltk.tokenize.texttiling import TextTilingTokenizer

STOP_WORDS = "the of and to a in is it that was for on with as at by from or an be this are".split()

TOPICS = [
    "glacier ice snow valley moraine crevasse melt ridge summit alpine frozen stream rock slope climber".split(),
    "ledger debit credit audit balance invoice tax account revenue asset liability journal payroll cost margin".split(),
    "violin bow string orchestra sonata tempo chord melody rehearsal conductor score cello hall tuning applause".split(),
    "compiler parser token syntax grammar register branch loop inline symbol linker object module macro buffer".split(),
]


def prose(seed, words_per_topic, topics=TOPICS, paragraph=45, marks=(". ", ", ", "; ")):
    """Paragraphs of random sentences, one topic after another."""
    chance = random.Random(seed)
    out = []
    for topic in topics:
        for at in range(words_per_topic):
            pool = STOP_WORDS if chance.random() < 0.45 else topic if chance.random() < 0.8 else chance.choice(TOPICS)
            out.append(chance.choice(pool))
            if (at + 1) % paragraph == 0:
                out.append(".\n\n")
            elif chance.random() < 0.1:
                out.append(chance.choice(marks))
            else:
                out.append(" ")
        out.append("\n\n")
    return "".join(out)


ODD = (
    prose(5, 120, paragraph=30, marks=("\u2014", " \u2026 ", "...", " (", ") ", "'s ", "-", "/", "_", "\t", "\r\n"))
    + "Caf\u00e9 na\u00efve 1st 2nd r2d2 \u041c\u043e\u0441\u043a\u0432\u0430 \u6771\u4eac don't o'clock well-known e.g. i.e. U.S.A. \u0130stanbul \u212aelvin\n \t\n"
    + prose(6, 90, topics=TOPICS[1:3], paragraph=25).upper()
)

LETTERS = "abcdefghijklmnopqrstuvwxyz"
NEVER_TWICE = "\n\n".join(" ".join(first + second + "x" for second in LETTERS) for first in LETTERS[:12])

CASES = {
    "short": (prose(1, 90, topics=TOPICS[:2]), {}),
    "shorter than two blocks": (prose(2, 110, topics=TOPICS[:3]), {}),
    "exactly the smoothing window": (prose(12, 40, topics=TOPICS[:2], paragraph=20), {}),
    "four topics": (prose(3, 400), {}),
    "long": (prose(4, 500, topics=TOPICS * 2, paragraph=80), {}),
    "many short paragraphs": (prose(7, 300, paragraph=9), {}),
    "odd punctuation": (ODD, {}),
    "small blocks": (prose(8, 250), {"w": 10, "k": 4}),
    "large blocks": (prose(9, 500), {"w": 30, "k": 15}),
    "blocks of one": (prose(10, 150), {"w": 20, "k": 1}),
    "no smoothing": (prose(3, 400), {"smoothing_width": 1}),
    "even smoothing window": (prose(3, 400), {"smoothing_width": 3}),
    "wide smoothing": (prose(11, 300), {"smoothing_width": 6}),
    "very wide smoothing": (prose(11, 300), {"smoothing_width": 14}),
    "rounds that NLTK ignores": (prose(11, 300), {"smoothing_rounds": 3}),
    "low cutoff": (prose(3, 400), {"cutoff_policy": 0}),
    "low cutoff, one topic": (prose(13, 900, topics=TOPICS[:1]), {"cutoff_policy": 0}),
    "no stop words": (prose(3, 200), {"stopwords": []}),
    "nothing but stop words": (" ".join(STOP_WORDS * 12) + "\n\n" + " ".join(STOP_WORDS * 12), {}),
    "no word twice": (NEVER_TWICE, {}),
}


def scores(text, options):
    tokenizer = TextTilingTokenizer(**{"stopwords": STOP_WORDS, "demo_mode": True, **options})
    gaps, smoothed, depths, boundaries = tokenizer.tokenize(text)
    return {
        "gaps": [float(each) for each in gaps],
        "smoothed": [float(each) for each in smoothed],
        "depths": [float(each) for each in depths],
        "boundaries": [int(each) for each in boundaries],
    }


def case(name, text, options):
    return {"name": name, "text": text, "options": {"stopwords": STOP_WORDS, **options}, **scores(text, options)}


for name, (text, options) in CASES.items():
    print(json.dumps(case(name, text, options)))
