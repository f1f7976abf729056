import { openDocument, setUp } from "./document.js";

history.scrollRestoration = "manual";
const main = document.getElementById("main");
const base = main.dataset.base;

const WAIT_MS = 20000;
const RETRY_MS = 2000;
// The tag of no state. With a tag, whatever it is, the page takes no news from
// a script that sends none.
const NO_STATE = '"0"';
const byId = (id) => document.getElementById(id);
const panels = ["choose", "waiting", "completing", "done", "failed", "declined"];
let shown = null;
// A failure is shown to the page that saw the attempt, not after a reload.
let sawAttempt = false;
let latest = null;
let over = false;

function show(name) {
  // Whoever has answered reads what came of it before the document.
  const steps = document.querySelector(".steps");
  if (name === "done" || name === "declined") main.insertBefore(steps, document.querySelector("section.document"));
  for (const panel of panels) byId(panel).hidden = panel !== name;
  byId("decline").hidden = !(name === "choose" || name === "failed");
  // What has changed is what is read next; also where the page was loaded anew
  // because the document is another one now.
  const isAnswered = name === "done" || name === "declined";
  if (shown !== name && (shown !== null || isAnswered)) {
    const heading = byId(name).querySelector("h2[tabindex]");
    if (heading) heading.focus({ preventScroll: true });
    steps.scrollIntoView({ block: "start" });
  }
  shown = name;
}

function render(state) {
  latest = state;
  if (!(state.attempt && state.attempt.deviceLink)) refreshCode(false);
  over = ended(state);
  const attempt = state.attempt;
  byId("busy").hidden = !state.busy;
  const sign = byId("sign");
  for (const button of [sign, byId("scan"), byId("card")]) if (button) button.disabled = Boolean(state.busy);
  if (state.signer.status === "declined") return show("declined");
  if (!attempt) return show(state.signer.status === "signed" ? "done" : "choose");
  switch (attempt.phase) {
    case "done":
      return show("done");
    case "failed":
      if (!sawAttempt) return show("choose");
      byId("failure").textContent = attempt.error ? attempt.error.message : "";
      return show("failed");
    case "completing":
      sawAttempt = true;
      return show("completing");
    default: {
      sawAttempt = true;
      const code = attempt.verificationCode;
      const link = attempt.deviceLink;
      const pairing = attempt.pairing;
      tell(link || pairing ? "" : attempt.phase);
      showPairing(pairing);
      byId("link-box").hidden = !link;
      byId("same-device").hidden = !(link && link.sameDevice);
      if (link && link.sameDevice) byId("same-device").href = link.sameDevice;
      refreshCode(Boolean(link));
      byId("code-box").hidden = !code;
      setText("verification-code", code || "");
      show("waiting");
      return bring(code ? "code" : link ? "link" : pairing ? "pairing" : "");
    }
  }
}

// A code that has come makes the panel longer: it is brought into view once.
let brought = "";
function bring(what) {
  if (what && what !== brought) document.querySelector(".steps").scrollIntoView({ block: "start" });
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

function showPairing(pairing) {
  byId("pairing-box").hidden = !pairing;
  if (!pairing || byId("pairing-code").textContent === pairing.code) return;
  byId("pairing-code").textContent = pairing.code;
  byId("pairing-link").href = pairing.uri;
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

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const ended = (state) =>
  state.signer.status === "declined" || state.signer.status === "signed" ||
  (state.attempt && state.attempt.phase === "done");

async function call(method, path, body, known = NO_STATE) {
  const headers = { accept: "application/json" };
  if (known) headers["if-none-match"] = known;
  const options = { method, headers, cache: "no-store" };
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
    try {
      const response = await call("GET", "/state?waitMs=" + wait, undefined, known);
      if (over) return;
      byId("connection").hidden = true;
      if (response.status === 404) return location.reload();
      if (!response.ok) throw new Error(String(response.status));
      known = response.headers.get("etag");
      const state = await response.json();
      if (over) return;
      if (state.document.sha256 !== main.dataset.sha256 && (shown === "choose" || ended(state))) return location.reload();
      render(state);
      wait = WAIT_MS;
      if (state.attempt && state.attempt.phase === "failed") await pause(RETRY_MS);
    } catch {
      byId("connection").hidden = false;
      await pause(RETRY_MS);
    }
  }
}

function checkDigitFits(code) {
  const sum = (weights) => weights.reduce((total, weight, i) => total + weight * Number(code[i]), 0) % 11;
  let check = sum([1, 2, 3, 4, 5, 6, 7, 8, 9, 1]);
  if (check === 10) check = sum([3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 10;
  return check === Number(code[10]);
}

function codeIsSound(code, country) {
  if (country === "LV") return /^[0-9]{6}-?[0-9]{5}$/.test(code);
  return /^[0-9]{11}$/.test(code) && checkDigitFits(code);
}

// What is said of too many attempts, with the minutes to wait where they are told.
function tooMany(fault, response) {
  const seconds = Number(response.headers.get("Retry-After"));
  return seconds > 0
    ? fault.dataset.tooManyFor.replace("{minutes}", Math.ceil(seconds / 60))
    : fault.dataset.tooMany;
}

// True when an attempt has started, false when the body was not accepted.
async function start(who) {
  const fault = byId("start-fault");
  fault.hidden = true;
  setDisabled(true);
  try {
    const response = await call("POST", "/attempts", {
      documentSha256: main.dataset.sha256, ...who,
    });
    if (response.ok) {
      remember(who.method);
      render(await response.json());
      return true;
    }
    if (response.status === 400) return false;
    const problem = (await response.json()).type.split("/").pop();
    if (problem === "document-changed" || problem === "not-found") return location.reload();
    fault.textContent = problem === "rate-limited" ? tooMany(fault, response)
      : problem === "signing-in-progress" ? fault.dataset.busy : fault.dataset.other;
    fault.hidden = false;
  } catch {
    fault.textContent = fault.dataset.other;
    fault.hidden = false;
  } finally {
    setDisabled(Boolean(latest && latest.busy));
  }
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

const phoneIsSound = (number) => /^\+[0-9]{8,15}$/.test(number);

// Says whether a field is as it should be; the first that is not gets the focus.
function point(field, fault, sound) {
  fault.hidden = sound;
  field.setAttribute("aria-invalid", String(!sound));
  if (!sound) field.focus();
  return sound;
}

byId("choose").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const method = chosenMethod();
  if (method === "nfc") return start({ method });
  const code = form.personalCode.value.trim();
  const country = form.country.value;
  const who = { method, personalCode: code, country };
  const [codeFault, phoneFault] = [byId("personal-code-fault"), byId("phone-number-fault")];
  const codeSound = point(form.personalCode, codeFault, codeIsSound(code, country));
  if (method === "mobile_id") {
    who.phoneNumber = form.phoneNumber.value.replace(/[\s()-]/g, "");
    if (!point(form.phoneNumber, phoneFault, phoneIsSound(who.phoneNumber))) return;
  }
  if (!codeSound) return;
  const started = await start(who);
  if (started) form.personalCode.value = "";
  if (started === false) point(form.personalCode, codeFault, false);
});

const scan = byId("scan");
if (scan) scan.addEventListener("click", () => start({ method: "smart_id" }));
const card = byId("card");
if (card) card.addEventListener("click", () => start({ method: "nfc" }));

// The method that was used last is kept on this device, and nowhere else. A
// browser may refuse to keep anything.
const LAST_METHOD = "parafa.method";
function remember(method) {
  try { localStorage.setItem(LAST_METHOD, method); } catch { return; }
}
function remembered() {
  try { return localStorage.getItem(LAST_METHOD); } catch { return null; }
}
const tiles = [...document.querySelectorAll('input[name="method"]')];
const last = remembered();
for (const tile of tiles) {
  if (tile.value === last) tile.checked = true;
  tile.addEventListener("change", showMethod);
}
showMethod();

byId("give-up").addEventListener("click", () => call("DELETE", "/attempts/current").catch(() => {}));

byId("again").addEventListener("click", () => {
  sawAttempt = false;
  if (latest && latest.document.sha256 !== main.dataset.sha256) return location.reload();
  show("choose");
  const code = byId("personal-code");
  if (code && chosenMethod() !== "nfc") code.focus();
});

byId("decline-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const reason = event.target.reason.value.trim();
  over = true;
  const response = await call("POST", "/decline", reason ? { reason } : {}).catch(() => null);
  if (response && response.ok) return render(await response.json());
  location.reload();
});

const isShown = (member) => member.mimeType === "application/pdf";

async function bytesOf(address) {
  const response = await fetch(address, { cache: "no-store" });
  if (!response.ok) throw new Error(String(response.status));
  return response.arrayBuffer();
}

// What a container is made of: what can be drawn is drawn, what cannot is saved.
async function listMembers(box) {
  try {
    const response = await call("GET", "/members", undefined, null);
    if (!response.ok) throw new Error(String(response.status));
    const { members } = await response.json();
    const links = new Map();
    const draw = (member) => {
      for (const [id, link] of links) {
        if (id === member.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
      openDocument(() => bytesOf(base + "/members/" + member.id));
    };
    for (const member of members) {
      const link = document.createElement("a");
      link.href = base + "/members/" + member.id;
      link.download = member.name;
      link.textContent = member.name;
      if (isShown(member)) {
        links.set(member.id, link);
        link.addEventListener("click", (event) => {
          event.preventDefault();
          draw(member);
        });
      }
      const item = document.createElement("li");
      item.append(link, ` (${box.dataset[member.role]})`);
      box.querySelector("ul").append(item);
    }
    const first = members.find((member) => member.role === "main" && isShown(member));
    if (first) draw(first);
  } catch {
    byId("members-heading").textContent = box.dataset.fault;
  }
}

const viewer = byId("viewer");
setUp(viewer, byId("viewer-fault"));
if (viewer.dataset.document) openDocument(() => bytesOf(viewer.dataset.document));
const members = byId("members");
if (members) listMembers(members);
watch();
