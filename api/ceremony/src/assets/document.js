// Draws a document in the page: the sheets that are near what is seen, with text
// that can be selected and read out.

const MOST_PIXELS = 16e6; // Telephones draw no larger picture.
const STEPS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16];
// Large drawings can be made larger than other documents, until they are as large
// as on paper (CSS: 96 pixels an inch).
const LARGE = 4;
const AS_ON_PAPER = 96 / 72;
const PADDING = 16;

let box, sheets, status, fault, drawn, library, resize;

// Whoever cannot see that the document covers the page is kept within it too.
function cover(viewer, covers) {
  const dialog = { role: "dialog", "aria-modal": "true", "aria-labelledby": "document-heading" };
  for (const [name, value] of Object.entries(dialog)) {
    if (covers) viewer.setAttribute(name, value);
    else viewer.removeAttribute(name);
  }
  for (let part = viewer; part !== document.body; part = part.parentElement) {
    for (const other of part.parentElement.children) if (other !== part) other.inert = covers;
  }
}

// Sets up the buttons around the sheets.
export function setUp(viewer, faultLine) {
  box = viewer;
  box.classList.remove("awaited");
  fault = faultLine;
  sheets = viewer.querySelector("#sheets");
  status = viewer.querySelector("#viewer-status");
  viewer.querySelector("#viewer-in").addEventListener("click", () => drawn && drawn.zoom(1));
  viewer.querySelector("#viewer-out").addEventListener("click", () => drawn && drawn.zoom(-1));
  const size = viewer.querySelector("#viewer-size");
  resize = (large) => {
    if (large === viewer.classList.contains("large")) return;
    viewer.classList.toggle("large", large);
    size.textContent = large ? size.dataset.close : size.dataset.large;
    cover(viewer, large);
    if (drawn) drawn.layOut();
  };
  size.addEventListener("click", () => resize(!viewer.classList.contains("large")));
  viewer.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && viewer.classList.contains("large")) resize(false);
  });
  sheets.addEventListener("scroll", () => drawn && drawn.tellPage(), { passive: true });
  let width = 0;
  new ResizeObserver(() => {
    if (Math.abs(sheets.clientWidth - width) < 2) return;
    width = sheets.clientWidth;
    if (drawn) drawn.layOut();
  }).observe(sheets);
}

// Shows the document whose bytes `load` gives, in place of another one.
export async function openDocument(load) {
  if (drawn) drawn.close();
  const mine = drawn = new Sheets();
  fault.hidden = true;
  box.hidden = false;
  sheets.replaceChildren();
  status.textContent = box.dataset.loading;
  try {
    library ??= import(box.dataset.library + "pdf.min.mjs");
    const [pdfjs, bytes] = await Promise.all([library, load()]);
    const folder = box.dataset.library;
    pdfjs.GlobalWorkerOptions.workerSrc = folder + "pdf.worker.min.mjs";
    const loading = pdfjs.getDocument({
      data: bytes, isEvalSupported: false, enableXfa: false, wasmUrl: folder,
      standardFontDataUrl: folder, cMapUrl: folder, useWorkerFetch: true,
    });
    const pdf = await loading.promise;
    if (mine !== drawn) return void loading.destroy();
    await mine.show(pdfjs, loading, pdf);
  } catch (error) {
    if (mine !== drawn) return;
    resize(false);
    box.hidden = true;
    fault.textContent = error && error.name === "PasswordException" ? box.dataset.locked : box.dataset.failed;
    fault.hidden = false;
  }
}

// Shows no document any more, nor one that is still being opened.
export function closeDocument() {
  if (drawn) drawn.close();
  drawn = null;
  box.hidden = fault.hidden = true;
}

class Sheets {
  pages = [];
  step = STEPS.indexOf(1);

  async show(pdfjs, loading, pdf) {
    this.pdfjs = pdfjs;
    this.loading = loading;
    this.pdf = pdf;
    // The sheets that follow are taken to be as large as the first one until they
    // come near.
    const first = (await pdf.getPage(1)).getViewport({ scale: 1 });
    for (let number = 1; number <= pdf.numPages; number++) {
      const element = document.createElement("div");
      element.className = "sheet";
      element.setAttribute("role", "group");
      element.setAttribute("aria-label", box.dataset.sheet.replace("{page}", number));
      this.pages.push({ number, element, width: first.width, height: first.height });
    }
    this.near = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const page = this.pages[entry.target.dataset.index];
        page.isNear = entry.isIntersecting;
        if (page.isNear) this.draw(page);
        else this.wipe(page);
      }
    }, { root: sheets, rootMargin: "100% 0px" });
    sheets.replaceChildren(...this.pages.map((page) => page.element));
    this.layOut();
    this.pages.forEach((page, index) => {
      page.element.dataset.index = index;
      this.near.observe(page.element);
    });
    this.tellPage();
  }

  // What makes so wide a page as wide as the window.
  fitting(width) {
    return Math.max(sheets.clientWidth - PADDING, 100) / width;
  }

  scaleOf(page) {
    return this.fitting(page.width) * STEPS[this.step];
  }

  size(page) {
    const scale = this.scaleOf(page);
    page.element.style.width = Math.floor(page.width * scale) + "px";
    page.element.style.height = Math.floor(page.height * scale) + "px";
    page.element.style.setProperty("--total-scale-factor", String(scale));
    return scale;
  }

  // The step from which on the document is no more enlarged.
  last() {
    const largest = Math.max(...this.pages.map((page) => page.width));
    const isEnough = (step) => step >= LARGE && this.fitting(largest) * step >= AS_ON_PAPER;
    const last = STEPS.findIndex(isEnough);
    return last < 0 ? STEPS.length - 1 : last;
  }

  layOut() {
    if (!this.pages.length) return;
    this.step = Math.min(this.step, this.last());
    const place = sheets.scrollTop / Math.max(sheets.scrollHeight, 1);
    for (const page of this.pages) {
      const scale = this.size(page);
      if (page.scale && page.scale !== scale) this.wipe(page);
    }
    sheets.scrollTop = place * sheets.scrollHeight;
    for (const page of this.pages) if (page.isNear) this.draw(page);
    this.tellPage();
  }

  zoom(by) {
    if (!this.pages.length) return;
    this.step = Math.max(this.step + by, 0);
    this.layOut();
  }

  async draw(page) {
    if (page.scale) return;
    page.scale = this.scaleOf(page);
    const turn = page.turn = {};
    try {
      const source = await this.pdf.getPage(page.number);
      if (page.turn !== turn) return;
      const real = source.getViewport({ scale: 1 });
      [page.width, page.height] = [real.width, real.height];
      const scale = page.scale = this.size(page);
      const viewport = source.getViewport({ scale });
      const ratio = Math.min(window.devicePixelRatio || 1,
        Math.sqrt(MOST_PIXELS / (viewport.width * viewport.height)));
      const canvas = document.createElement("canvas");
      canvas.width = Math.floor(viewport.width * ratio);
      canvas.height = Math.floor(viewport.height * ratio);
      canvas.setAttribute("aria-hidden", "true");
      turn.task = source.render({
        canvas, viewport, transform: ratio === 1 ? null : [ratio, 0, 0, ratio, 0, 0],
      });
      await turn.task.promise;
      if (page.turn !== turn) return;
      const text = document.createElement("div");
      text.className = "textLayer";
      page.element.replaceChildren(canvas, text);
      page.element.dataset.drawn = "true";
      await new this.pdfjs.TextLayer({
        textContentSource: source.streamTextContent(), container: text, viewport,
      }).render();
    } catch (error) {
      if (page.turn !== turn || (error && error.name === "RenderingCancelledException")) return;
      fault.textContent = box.dataset.failed;
      fault.hidden = false;
    }
  }

  // Telephones have room for few pictures.
  wipe(page) {
    if (page.turn && page.turn.task) page.turn.task.cancel();
    page.turn = null;
    page.scale = 0;
    page.element.replaceChildren();
    delete page.element.dataset.drawn;
  }

  tellPage() {
    if (!this.pages.length) return;
    const middle = sheets.scrollTop + sheets.clientHeight / 2;
    const seen = this.pages.findLast((page) => page.element.offsetTop - sheets.offsetTop <= middle);
    const number = seen ? seen.number : 1;
    status.textContent = box.dataset.page.replace("{page}", number).replace("{pages}", this.pages.length);
  }

  close() {
    if (this.near) this.near.disconnect();
    if (this.loading) this.loading.destroy();
  }
}
