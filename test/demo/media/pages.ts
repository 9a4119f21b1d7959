/** Pages to click through: a bundle, a prototype, a report in two versions. */
import { zipSync } from "fflate";
import { gap } from "./silt.ts";

const face = "font: 17px/1.5 system-ui, sans-serif; color: #17323d";

const plan: Record<string, string> = {
  "index.html": `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Harbor of Veere</title>
<link rel="stylesheet" href="css/plan.css">
<main data-line="up">
  <header><h1>Harbor of Veere</h1><p id="line" role="status">The harbor's line is up</p></header>
  <ol id="steps">
    <li><b>Choose a berth</b><span>B 14, 2.1 m at low water</span></li>
    <li><b>Say who comes</b><span>Zeevogel, crew of three</span></li>
    <li><b>Pay</b><span data-up="€ 57.00 by card" data-down="Kept on this phone, paid when the line is back">€ 57.00 by card</span></li>
  </ol>
  <button id="book">Book the berth</button>
  <p id="said"></p>
  <footer><label><input type="checkbox" id="cut"> Cut the harbor's line</label> · <a href="about.html">What this shows</a></footer>
</main>
<script src="js/plan.js"></script>
</html>
`,
  "about.html": `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>What this shows</title>
<link rel="stylesheet" href="css/plan.css">
<main><header><h1>What this shows</h1></header>
<p>A guest is told once that the line is down, in words that say what happens next. Nothing is lost, and nothing is asked twice.</p>
<p><a href="index.html">Back</a></p></main>
</html>
`,
  "css/plan.css": `body { margin: 0; background: #dfeaee; ${face}; }
main { max-width: 30rem; margin: 2rem auto; background: #fff; border-radius: 1.2rem; padding: 1.6rem; }
h1 { margin: 0; font-size: 1.6rem; }
#line { margin: 0.4rem 0 1.2rem; padding: 0.5rem 0.9rem; border-radius: 0.7rem; background: #ddf0e6; color: #14583d; }
[data-line="down"] #line { background: #fdf0de; color: #7a4a08; }
ol { margin: 0; padding: 0; list-style: none; }
li { display: flex; justify-content: space-between; gap: 1rem; padding: 0.9rem 0; border-bottom: 1px solid #e3e8ea; }
li span { text-align: right; color: #5b727c; }
button { width: 100%; margin: 1.4rem 0 0.6rem; padding: 0.9rem; border: 0; border-radius: 0.7rem; background: #17323d; color: #fff; font: inherit; font-weight: 700; }
footer { margin-top: 1rem; color: #5b727c; }
`,
  "js/plan.js": `const main = document.querySelector("main");
const pay = document.querySelector("[data-up]");
document.querySelector("#cut").addEventListener("change", ({ target }) => {
  main.dataset.line = target.checked ? "down" : "up";
  document.querySelector("#line").textContent = target.checked
    ? "The harbor's line is down. You can go on, it is kept here."
    : "The harbor's line is up";
  pay.textContent = target.checked ? pay.dataset.down : pay.dataset.up;
});
document.querySelector("#book").addEventListener("click", () => {
  document.querySelector("#said").textContent =
    main.dataset.line === "down" ? "Kept. The harbor hears of it as soon as its line is back." : "Booked. See you on Friday.";
});
`,
};

export const offlinePlan = (): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(plan).map(([path, text]) => [path, Buffer.from(text)])), {
    mtime: "2026-03-01T12:00:00",
    level: 9,
  });

export const holdToStop = (): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Stop by holding</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: #0e2a35; ${face}; color: #fff; }
#deck { width: 20rem; height: 34rem; border-radius: 2.4rem; background: #1b4a5c; display: grid; place-items: center; text-align: center; user-select: none; touch-action: none; }
circle { fill: none; stroke-width: 10; }
#ring { stroke: #ffd84a; stroke-dasharray: 503; stroke-dashoffset: 503; transform: rotate(-90deg); transform-origin: center; }
.held #ring { stroke-dashoffset: 0; transition: stroke-dashoffset 1s linear; }
</style>
<div id="deck"><div><svg width="180" height="180"><circle cx="90" cy="90" r="80" stroke="#ffffff30"/><circle id="ring" cx="90" cy="90" r="80"/></svg>
<h1 id="says">Recording</h1><p>Hold anywhere for a second to stop.</p></div></div>
<script>
const deck = document.querySelector("#deck");
const says = document.querySelector("#says");
let timer;
deck.addEventListener("pointerdown", () => {
  deck.classList.add("held");
  timer = setTimeout(() => { says.textContent = says.textContent === "Stopped" ? "Recording" : "Stopped"; }, 1000);
});
for (const end of ["pointerup", "pointerleave"]) deck.addEventListener(end, () => { deck.classList.remove("held"); clearTimeout(timer); });
</script>
</html>
`;

/** The second says which numbers were corrected by hand, and by whom. */
export function weeklyReport(version: 1 | 2): string {
  const gauges: [string, string, string, string][] = [
    ["Veere", "99.4 %", "12", "3 by Tomasz: drift of the lock, 4 March"],
    ["Roompot", "100 %", "0", ""],
    ["Vlissingen", "98.9 %", "41", "1 by Mara: storm of 2 March confirmed"],
    ["Westkapelle", "96.2 %", "7", ""],
    ["Stavenisse", "100 %", "2", "2 by Tomasz: clock of the gauge was an hour off"],
    ["Hoek", "99.9 %", "3", ""],
  ];
  const heads = ["Gauge", "Measured", "Corrected", ...(version === 2 ? ["By hand, and by whom"] : [])];
  const rows = gauges.map(
    (row) =>
      `<tr>${row
        .slice(0, heads.length)
        .map((cell, at) => `<td class="${at === 1 || at === 2 ? "n" : ""}">${cell || "–"}</td>`)
        .join("")}</tr>`,
  );
  const drawing = /<svg.*<\/svg>/s
    .exec(gap().html)?.[0]
    .replace('width="1400" height="700"', 'viewBox="0 0 1400 700"');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weekly report</title>
<style>
body { max-width: 54rem; margin: 2.5rem auto; padding: 0 1.2rem; ${face}; }
h1 { font-size: 2rem; margin-bottom: 0; }
table { width: 100%; border-collapse: collapse; margin: 1.6rem 0; }
td, th { text-align: left; padding: 0.55rem 0.6rem; border-bottom: 1px solid #dde4e7; }
.n { font-variant-numeric: tabular-nums; }
svg { width: 100%; }
</style>
<h1>How good the data was</h1>
<p>Week 10, 2 to 8 March 2026. Six gauges, 6,048 readings, 65 corrected${version === 2 ? ", 6 of them by hand" : ""}.</p>
<table><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr>
${rows.join("\n")}
</table>
${drawing}
</html>
`;
}
