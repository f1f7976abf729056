import { closeDocument, openDocument, setUp } from "./document.js";
import { checkDigitFits, codeIsWhole, nationalCode, phoneIsSound, phoneNumber } from "./person.js";

history.scrollRestoration = "manual";
const main = document.getElementById("main");
const base = main.dataset.base;
const language = document.documentElement.lang;

const WAIT_MS = 20000;
const RETRY_MS = 2000;
// The tag of no state. With a tag, whatever it is, the page takes no news from
// a script that sends none.
const NO_STATE = '"0"';
const byId = (id) => document.getElementById(id);

// What is kept on this device, and nowhere else. A browser may refuse to keep
// anything.
const sessionStorageOf = () => sessionStorage;
const localStorageOf = () => localStorage;
// The method that was used last.
const LAST_METHOD = "parafa.method";
function keep(storage, name, value) {
  try { storage().setItem(name, value); } catch { return; }
}
function kept(storage, name) {
  try { return storage().getItem(name); } catch { return null; }
}
const panels = ["choose", "waiting", "completing", "done", "failed", "declined"];
let shown = null;
// A failure is shown to the page that saw the attempt, not after a reload; also
// when the signer's app has brought them back to it, or the telephone had no room
// for it meanwhile.
const ATTEMPT = "parafa.attempt";
let sawAttempt = location.hash === "#returned" || kept(sessionStorageOf, ATTEMPT) === main.dataset.sha256;
if (location.hash === "#returned") history.replaceState(null, "", location.pathname + location.search);
// A failure that comes long after the signature is shown to whoever opens the link
// then, until they begin anew.
let isLateFailureRead = Boolean(history.state && history.state.isLateFailureRead);
let latest = null;
let over = false;
// What the page waits for before it asks for news again: the link of somebody
// who has declined leads nowhere.
let declining = null;
let poll = null;

const steps = byId("steps");
// Comes with what stands above it, and moves nothing when that comes.
byId("decline").hidden = true;
// Beside the document they are in sight all the time.
const isBeside = matchMedia("(min-width: 62rem)");
const bringSteps = () => isBeside.matches ? steps.scrollTo(0, 0) : steps.scrollIntoView({ block: "start" });

function show(name) {
  // Whoever has answered reads what came of it before the document.
  const isAnswered = name === "done" || name === "declined";
  if (isAnswered) {
    keep(sessionStorageOf, TYPED, "");
    const paper = document.querySelector("section.document");
    const isBelow = paper.compareDocumentPosition(steps) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isBelow) main.insertBefore(steps, paper);
    const asks = byId("asks");
    asks.lastChild.data = " " + asks.dataset.asked;
  }
  for (const part of document.querySelectorAll(".until-answered")) part.hidden = isAnswered;
  for (const panel of panels) byId(panel).hidden = panel !== name;
  byId("decline").hidden = !(name === "choose" || name === "failed");
  // What has changed is what is read next; also where the page was loaded anew,
  // unless all begins with it.
  if (shown !== name && (shown !== null || name !== "choose")) {
    const heading = byId(name).querySelector("h2[tabindex]");
    if (heading) heading.focus({ preventScroll: true });
    bringSteps();
  }
  shown = name;
}

function render(state) {
  latest = state;
  if (!(state.attempt && state.attempt.deviceLink)) refreshCode(false);
  over = ended(state);
  const attempt = state.attempt;
  byId("busy").hidden = !state.busy;
  setText("busy", state.busy ? busyText(state.busyUntil) : "");
  const sign = byId("sign");
  for (const button of [sign, byId("scan"), byId("card")]) if (button) button.disabled = Boolean(state.busy);
  if (state.signer.status === "declined") return show("declined");
  if (!attempt) return show(state.signer.status === "signed" ? "done" : "choose");
  switch (attempt.phase) {
    case "done":
      return show("done");
    case "failed":
      if (!sawAttempt && !isLateFailure(attempt)) return show("choose");
      keep(sessionStorageOf, ATTEMPT, "");
      byId("failure").textContent = attempt.error ? attempt.error.message : "";
      return show("failed");
    case "completing":
      see();
      return show("completing");
    default: {
      see();
      const code = attempt.verificationCode;
      const link = attempt.deviceLink;
      const pairing = attempt.pairing;
      if (state.busy) setText("progress", busyText(state.busyUntil));
      else tell(link || pairing ? "" : attempt.phase);
      byId("changed").hidden = !hasChanged;
      showPairing(pairing);
      byId("link-box").hidden = !link;
      byId("same-device").hidden = !(link && link.sameDevice);
      if (link && link.sameDevice) byId("same-device").href = link.sameDevice;
      refreshCode(Boolean(link));
      byId("code-box").hidden = !code;
      setText("verification-code", code || "");
      setText("compare", byId("compare").dataset[attempt.method]);
      show("waiting");
      return bring(code ? "code" : link ? "link" : pairing ? "pairing" : "");
    }
  }
}

const isLateFailure = (attempt) =>
  Boolean(attempt.error) && attempt.error.code === "timestamp_unavailable" && !isLateFailureRead;

function see() {
  sawAttempt = true;
  keep(sessionStorageOf, ATTEMPT, main.dataset.sha256);
}

// A code that has come makes the panel longer: it is brought into view once.
let brought = "";
function bring(what) {
  if (what && what !== brought) bringSteps();
  brought = what;
}

// Text that is set anew is read out anew.
function setText(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

function tell(phase) {
  const { certificate, signing, waiting } = byId("progress").dataset;
  setText("progress", { certificate, signing }[phase] || waiting);
}

const clock = (time) => time.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });

// That somebody else signs, and until when at the latest where that is known.
function busyText(until) {
  const { busy, busyUntil } = byId("start-fault").dataset;
  if (!until) return busy;
  // The minute that has begun by then is over.
  const lastMinute = new Date(Date.parse(until) + 59999);
  return busyUntil.replace("{time}", clock(lastMinute));
}

function showPairing(pairing) {
  if (!byId("pairing-code")) return;
  byId("pairing-box").hidden = !pairing;
  if (!pairing || byId("pairing-code").textContent === pairing.code) return;
  byId("pairing-code").textContent = pairing.code;
  byId("pairing-link").href = pairing.uri;
  byId("pairing-until").textContent = byId("pairing-until").dataset.until.replace("{time}", clock(new Date(pairing.expiresAt)));
  byId("pairing-qr").src = base + "/attempts/current/qr.svg?code=" + pairing.code;
}

// The code to scan is good for seconds: a new picture every second.
let codeTimer = null;
function refreshCode(wanted) {
  if (wanted === (codeTimer !== null)) return;
  if (!wanted) {
    clearInterval(codeTimer);
    codeTimer = null;
    return;
  }
  const show = () => { byId("qr").src = base + "/attempts/current/qr.svg?at=" + Date.now(); };
  show();
  codeTimer = setInterval(show, 1000);
}

// A document that somebody else has signed meanwhile is shown anew, and the page
// that shows it says why.
function reloadChanged() {
  history.replaceState({ shown: main.dataset.sha256, isLateFailureRead }, "");
  location.reload();
}
const shownBefore = history.state && history.state.shown;
let hasChanged = Boolean(shownBefore) && shownBefore !== main.dataset.sha256;
history.replaceState(null, "");
function tellChanged() {
  const fault = byId("start-fault");
  fault.textContent = fault.dataset.changed;
  fault.hidden = false;
  byId("choose-heading")?.focus({ preventScroll: true });
  bringSteps();
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const ended = (state) =>
  state.signer.status === "declined" || state.signer.status === "signed" ||
  (state.attempt && state.attempt.phase === "done");

async function call(method, path, body, known = NO_STATE, signal = undefined) {
  const headers = { accept: "application/json" };
  if (known) headers["if-none-match"] = known;
  const options = { method, headers, signal, cache: "no-store" };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  return fetch(base + path, options);
}

async function watch() {
  let wait = 0;
  let known = NO_STATE;
  while (!over) {
    if (declining) {
      await declining;
      continue;
    }
    poll = new AbortController();
    try {
      const response = await call("GET", `/state?waitMs=${wait}&lang=${language}`, undefined, known, poll.signal);
      if (over) return;
      byId("connection").hidden = true;
      if (response.status === 404) return location.reload();
      if (!response.ok) throw new Error(String(response.status));
      known = response.headers.get("etag");
      const state = await response.json();
      if (over) return;
      if (state.document.sha256 !== main.dataset.sha256) {
        if (ended(state)) return location.reload();
        // A code is still to be followed, and the document not yet signed.
        const showsCode = state.attempt && (state.attempt.deviceLink || state.attempt.pairing);
        if (shown === "choose" || showsCode) return reloadChanged();
      }
      render(state);
      if (hasChanged && shown === "choose") tellChanged();
      if (shown !== "waiting") hasChanged = false;
      wait = WAIT_MS;
      if (state.attempt && state.attempt.phase === "failed") await pause(RETRY_MS);
    } catch {
      if (poll.signal.aborted) continue;
      byId("connection").hidden = false;
      await pause(RETRY_MS);
    }
  }
}

// What is said of too many attempts, with the minutes to wait where they are told.
function tooMany(fault, response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return seconds > 0
    ? fault.dataset.tooManyFor.replace("{minutes}", Math.ceil(seconds / 60))
    : fault.dataset.tooMany;
}

const nameOf = (problem) => String(problem.type).split("/").pop();
const problemOf = (response) => response.json().catch(() => ({}));

// The fields that are refused, each with its words; the others have a line for all.
function pointAt(errors) {
  const lines = { "/personalCode": "personal-code", "/country": "personal-code", "/phoneNumber": "phone-number" };
  const fields = new Set(errors.map((error) => lines[error.pointer]).filter((id) => id && byId(id)));
  for (const id of [...fields].reverse()) point(byId(id), byId(id + "-fault"), false);
  return fields.size > 0;
}

// What is said of an attempt that did not start.
function refusal(fault, problem, response) {
  const { dataset } = fault;
  switch (nameOf(problem)) {
    case "rate-limited": return tooMany(fault, response);
    case "signing-in-progress": return busyText(latest && latest.busyUntil);
    case "validation-failed":
      return (problem.errors || []).some((error) => error.pointer === "/method") ? dataset.method : dataset.other;
    default: return response.status >= 500 ? dataset.service : dataset.other;
  }
}

// Whether an attempt has started.
async function start(who) {
  const fault = byId("start-fault");
  fault.hidden = true;
  setDisabled(true);
  try {
    const response = await call("POST", "/attempts", {
      documentSha256: main.dataset.sha256, language, ...who,
    });
    if (response.ok) {
      keep(localStorageOf, LAST_METHOD, who.method);
      byId("give-up-fault").hidden = true;
      see();
      render(await response.json());
      return true;
    }
    const problem = await problemOf(response);
    if (nameOf(problem) === "document-changed") return reloadChanged();
    if (["not-found", "signer-not-open"].includes(nameOf(problem))) return location.reload();
    if (who.personalCode !== undefined && pointAt(problem.errors || [])) return false;
    fault.textContent = refusal(fault, problem, response);
    fault.hidden = false;
  } catch {
    fault.textContent = fault.dataset.notSent;
    fault.hidden = false;
  } finally {
    setDisabled(Boolean(latest && latest.busy));
  }
  return false;
}

function setDisabled(disabled) {
  for (const id of ["sign", "scan", "card"]) if (byId(id)) byId(id).disabled = disabled;
}

const chosenMethod = () => {
  const chosen = document.querySelector('input[name="method"]:checked');
  return chosen && chosen.value;
};

// What is asked for belongs to the method that is chosen.
function showMethod() {
  const method = chosenMethod();
  for (const part of document.querySelectorAll(".of-method")) {
    part.hidden = !part.dataset.methods.split(" ").includes(method);
  }
  const latvia = document.querySelector('#country option[value="LV"]');
  if (!latvia) return;
  latvia.hidden = latvia.disabled = method === "mobile_id";
  if (latvia.disabled && latvia.selected) byId("country").value = "LT";
}

// Says whether a field is as it should be; the first that is not gets the focus.
function point(field, fault, sound) {
  fault.hidden = sound;
  field.setAttribute("aria-invalid", String(!sound));
  if (!sound) field.focus();
  return sound;
}

// The code whose check digit was said to be wrong. It is sent if it stays: real
// certificates have such codes, and the server knows whom the link is for.
let doubted = null;

byId("choose").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const method = chosenMethod();
  if (method === "nfc") return start({ method });
  const { country: named, code } = nationalCode(form.personalCode.value);
  if (named && document.querySelector(`#country option[value="${named}"]:enabled`)) form.country.value = named;
  const country = form.country.value;
  const who = { method, personalCode: code, country };
  const [codeFault, codeDoubt, phoneFault] =
    ["personal-code-fault", "personal-code-doubt", "phone-number-fault"].map(byId);
  const isNamed = !named || named === country;
  const isWhole = isNamed && codeIsWhole(code);
  const isDoubtful = isWhole && code !== doubted && !checkDigitFits(code, country);
  if (isDoubtful) doubted = code;
  codeFault.hidden = codeDoubt.hidden = true;
  const codeSound = point(form.personalCode, isDoubtful ? codeDoubt : codeFault, isWhole && !isDoubtful);
  if (method === "mobile_id") {
    who.phoneNumber = phoneNumber(form.phoneNumber.value, country);
    if (!point(form.phoneNumber, phoneFault, phoneIsSound(who.phoneNumber))) return;
  }
  if (!codeSound) return;
  await start(who);
});

// What is typed stays for the next attempt on this link, until the signer has
// answered or closes the page.
const TYPED = "parafa.typed";
const fields = ["country", "personal-code", "phone-number"].map(byId).filter(Boolean);
function keepTyped() {
  const typed = Object.fromEntries(fields.map((field) => [field.id, field.value]));
  keep(sessionStorageOf, TYPED, JSON.stringify({ base, typed }));
}
function restoreTyped() {
  const stored = JSON.parse(kept(sessionStorageOf, TYPED) || "{}");
  if (stored.base !== base) return;
  for (const field of fields) if (stored.typed[field.id]) field.value = stored.typed[field.id];
}
restoreTyped();
for (const field of fields) field.addEventListener("change", keepTyped);

const scan = byId("scan");
if (scan) scan.addEventListener("click", () => start({ method: "smart_id" }));
const card = byId("card");
if (card) card.addEventListener("click", () => start({ method: "nfc" }));

const tiles = [...document.querySelectorAll('input[name="method"]')];
const last = kept(localStorageOf, LAST_METHOD);
for (const tile of tiles) {
  if (tile.value === last) tile.checked = true;
  tile.addEventListener("change", showMethod);
}
showMethod();

byId("give-up").addEventListener("click", async () => {
  const [button, fault] = [byId("give-up"), byId("give-up-fault")];
  fault.hidden = true;
  button.disabled = true;
  const response = await call("DELETE", "/attempts/current").catch(() => null);
  button.disabled = false;
  // Of an attempt that has ended by itself the state tells.
  if (response && (response.ok || response.status === 404)) return;
  fault.textContent = response && response.status === 409 ? fault.dataset.tooLate : fault.dataset.failed;
  fault.hidden = false;
});

byId("again").addEventListener("click", () => {
  sawAttempt = false;
  isLateFailureRead = true;
  if (latest && latest.document.sha256 !== main.dataset.sha256) return reloadChanged();
  show("choose");
  // What is done next, or what says it where that cannot be done now.
  const next = chosenMethod() === "nfc" ? byId("card") : byId("personal-code");
  const focused = next && !next.disabled ? next : byId("choose-heading");
  if (focused) focused.focus();
});

// What is said of a refusal to sign that was not taken.
function notDeclined(dataset, response) {
  if (!response || response.status === 408) return dataset.notSent;
  if (response.status === 409) return dataset.underWay;
  return response.status === 400 || response.status === 413 ? dataset.reason : dataset.service;
}

byId("decline-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const [button, fault] = [byId("confirm-decline"), byId("decline-fault")];
  const reason = event.target.reason.value.trim();
  fault.hidden = true;
  button.disabled = true;
  let finish;
  declining = new Promise((resolve) => { finish = resolve; });
  if (poll) poll.abort();
  try {
    const response = await call("POST", "/decline", reason ? { reason } : {}).catch(() => null);
    if (response && response.ok) return render(await response.json());
    if (response) {
      const problem = nameOf(await problemOf(response));
      if (problem === "not-found" || problem === "signer-not-open") return location.reload();
    }
    fault.textContent = notDeclined(fault.dataset, response);
    fault.hidden = false;
    if (response && response.status === 400) event.target.reason.focus();
  } finally {
    button.disabled = false;
    declining = null;
    finish();
  }
});

async function bytesOf(address) {
  const response = await fetch(address, { cache: "no-store" });
  if (!response.ok) throw new Error(String(response.status));
  return response.arrayBuffer();
}

// What a container is made of: what can be shown is shown.
function drawMembers() {
  const links = [...document.querySelectorAll("#members a:is([data-pdf], [data-picture])")];
  if (!links.length) return;
  const [picture, fault] = [byId("member-picture"), byId("viewer-fault")];
  // The address of the picture that was chosen last; none while a PDF is shown. A
  // picture is shown when it is there, lest another file is read in its place.
  let wanted = null;
  const tellPicture = (isThere) => {
    if (picture.src !== wanted) return;
    picture.hidden = !isThere;
    fault.textContent = viewer.dataset.failed;
    fault.hidden = isThere;
  };
  picture.addEventListener("load", () => tellPicture(true));
  picture.addEventListener("error", () => tellPicture(false));
  const draw = (drawn) => {
    for (const link of links) {
      if (link === drawn) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    picture.hidden = true;
    wanted = drawn.dataset.picture === undefined ? null : drawn.href;
    if (!wanted) return openDocument(() => bytesOf(drawn.href));
    closeDocument();
    picture.alt = drawn.textContent;
    picture.src = wanted;
  };
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      draw(link);
    });
  }
  const first = links.find((link) => link.dataset.main !== undefined);
  if (first) draw(first);
}

const viewer = byId("viewer");
setUp(viewer, byId("viewer-fault"));
if (viewer.dataset.document) openDocument(() => bytesOf(viewer.dataset.document));
drawMembers();
watch();
