"""Writes expected.jsonl: terms and scores from the real scikit-learn. Needs Python 3 and scikit-learn; the tests need neither.

    python3 generate.py > expected.jsonl

The first line names the version. Each other is a case: the terms that TfidfVectorizer() with its defaults takes from each text, and the cosine between the query and
each chunk after fitting on the query and all chunks. scikit-learn raises on an empty vocabulary; there the scores are zeros.
"""
import json
import random

import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

WORDS = (
    "water wheel mill race river stone grain flour weir sluice the a of and in to it Is 4 42 3.14 re-run e_mail l'eau "
    "naïve Straße STRASSE ΟΔΟΣ Σίσυφος мельница Мельник ړ سلام नमस्ते ਪਾਣੀ 한국어 물레방아 été e\u0301te\u0301 İstanbul ıssız "
    "x² ½ Ⅻ ١٢٣ _ __ _id v2.0 C++ 🙂 👩‍🌾 𝒳 𝒳𝒴 𐐀𐐁 o\u02bczbek n\u0303andu\u0301 co\u00adop ab\u200bcd ﬁne ŉ ǅ don’t"
).split()

HAND = [
    ("a plain question", "mill race", ["The mill race feeds the wheel.", "A race of horses.", "Mill, mill, mill!", "Bread."]),
    ("words more than once", "wheel wheel water", ["water water wheel", "wheel", "water", "wheel water wheel"]),
    ("no word in common", "astronomy", ["bread and water", "stone"]),
    ("an empty query", "", ["bread and water", "stone"]),
    ("a query of single letters", "a b c", ["bread and water", "a b c"]),
    ("nothing anywhere", "?", ["!", "", "a"]),
    ("an empty chunk", "bread", ["", "bread", "  \n"]),
    ("equal chunks", "stone", ["stone mill", "mill stone", "stone mill", "mill"]),
    ("no chunks", "stone", []),
    ("upper case and folding", "STRASSE straße ΟΔΟΣ", ["Straße", "strasse", "οδος", "οδοσ", "ΟΔΟΣ."]),
    ("numbers and underscores", "_id 42 v2 x²", ["_id=42", "v2.0", "x² + ½", "__init__ 42 42"]),
    ("marks and joiners", "नमस्ते e\u0301te\u0301", ["नमस्ते दुनिया", "été", "e\u0301te\u0301", "co\u00adop ab\u200bcd"]),
    ("outside of the plane", "𝒳𝒴 𐐀𐐁", ["𝒳 𝒴", "𝒳𝒴🙂𝒳𝒴", "𐐨𐐩", "a𝒳"]),
]


def at_random(seed):
    chance = random.Random(seed)

    def text(most):
        joint = ["", " ", " ", " ", "-", ".", "\n", "\u00a0"]
        return "".join(chance.choice(WORDS) + chance.choice(joint) for _ in range(chance.randint(0, most)))

    return (f"chance {seed}", text(6), [text(40) for _ in range(chance.randint(1, 30))])


def answer(name, query, chunks):
    texts = [query, *chunks]
    analyse = TfidfVectorizer().build_analyzer()
    try:
        weights = TfidfVectorizer().fit_transform(texts)
        scores = cosine_similarity(weights[:1], weights[1:])[0].tolist() if chunks else []
    except ValueError:
        scores = [0.0] * len(chunks)
    return {"name": name, "query": query, "chunks": chunks, "terms": [analyse(text) for text in texts], "scores": scores}


def write(line):
    print(json.dumps(line, separators=(",", ":")))


write({"scikit-learn": sklearn.__version__})
for case in [*HAND, *(at_random(seed) for seed in range(24))]:
    write(answer(*case))
