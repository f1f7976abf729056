"""Flattens a form with qpdf and with MuPDF, a given number of times, and prints the times."""

import io
import statistics
import sys
import time


def qpdf(document):
    import pikepdf

    with pikepdf.open(io.BytesIO(document)) as pdf:
        pdf.flatten_annotations("all")
        out = io.BytesIO()
        pdf.save(out)


def mupdf(document):
    import pymupdf

    with pymupdf.open(stream=document, filetype="pdf") as pdf:
        pdf.bake(annots=False, widgets=True)
        pdf.tobytes()


def millis(flatten, document, runs):
    for _ in range(runs):
        flatten(document)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        flatten(document)
        times.append((time.perf_counter() - start) * 1000)
    return f"{min(times):.2f} | {statistics.median(times):.2f}"


def main():
    path, runs = sys.argv[1], int(sys.argv[2])
    with open(path, "rb") as file:
        document = file.read()
    for name, flatten in [("qpdf", qpdf), ("MuPDF", mupdf)]:
        try:
            print(f"{name} | {millis(flatten, document, runs)}")
        except ImportError:
            continue


main()
