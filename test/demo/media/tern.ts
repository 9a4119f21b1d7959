/** Screens of the log book on a phone. */
import type { Sheet } from "./paint.ts";
import { levelAt, pathOf } from "./tide.ts";

/** 393 by 852 points at three pixels each. */
const phone = (body: string, background: string, ink: string): Sheet => ({
  ...{ width: 393, height: 852, scale: 3 },
  html: `<body style="background:${background};color:${ink};position:relative">
    <div style="display:flex;justify-content:space-between;padding:18px 32px 0;font-size:16px;font-weight:700"><span>21:48</span><span>72 %</span></div>${body}
    <i style="position:absolute;left:126px;bottom:9px;width:141px;height:5px;border-radius:3px;background:${ink}"></i></body>`,
});

/** The first is the day's theme, whenever it is; the second is red on black after sunset. */
export function deckButtons(version: 1 | 2): Sheet {
  const dark = version === 2;
  const [back, ink, line, fill] = dark
    ? ["#000", "#d8291c", "#7d1810", "#140302"]
    : ["#fff", "#06181f", "#06181f", "#ffd84a"];
  const readout = (number: string, unit: string) =>
    `<div style="flex:1;border:2px solid ${line};border-radius:16px;padding:12px 16px"><b style="font-size:42px;line-height:1">${number}</b><br><span style="font-size:16px">${unit}</span></div>`;
  const button = (mark: string, word: string, strong = false) =>
    `<div style="height:104px;border:3px solid ${line};border-radius:22px;display:flex;align-items:center;gap:20px;padding:0 26px;font-size:27px;font-weight:700;background:${
      strong ? fill : back
    }"><svg width="44" height="44" viewBox="0 0 24 24" fill="none" stroke="${ink}" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round">${mark}</svg>${word}</div>`;
  const ticks = Array.from({ length: 72 }, (_, at) => {
    const length = at % 18 === 0 ? 14 : at % 6 === 0 ? 9 : 5;
    return `<path d="M0 -96v${length}" transform="rotate(${at * 5})" stroke="${line}" stroke-width="${at % 6 === 0 ? 2 : 1}"/>`;
  }).join("");
  const letters = [..."NESW"].map(
    (letter, at) =>
      `<text transform="rotate(${at * 90 - 24}) translate(0 -64)" text-anchor="middle" font-size="17" font-weight="700" fill="${ink}">${letter}</text>`,
  );
  return phone(
    `<div style="padding:16px 22px"><p style="font-size:16px">Veere to Hoek · 4 h 12 min</p>
     <svg viewBox="-110 -104 220 208" width="349" height="252"><circle r="99" fill="none" stroke="${line}" stroke-width="2"/><g transform="rotate(-24)">${ticks}</g>${letters.join("")}
       <path d="M0 -52L13 4 0 -4 -13 4Z" fill="${ink}"/><text y="34" text-anchor="middle" font-size="24" font-weight="700" fill="${ink}">024° M</text></svg>
     <div style="display:flex;gap:12px;margin:4px 0 18px">${readout("6.4", "knots")}${readout("8.1", "metres deep")}</div>
     <div style="display:grid;gap:12px">${button('<path d="M4 20h16M6 16l6-12 6 12z"/>', "Sail change")}${button('<path d="M4 20l1-5L16 4l4 4L9 19z"/>', "Note")}
       ${button('<rect x="6" y="6" width="12" height="12" rx="1"/>', "Stop the track", true)}</div></div>`,
    back as string,
    ink as string,
  );
}

const curve = (width: number, height: number) =>
  pathOf(
    Array.from({ length: 97 }, (_, at): [number, number] => [
      (at / 96) * width,
      height * (0.5 - levelAt(at / 4) * 0.2),
    ]),
  );

export function widget(): Sheet {
  const glass = "background:#ffffff2e;border-radius:24px;color:#fff";
  const label = (word: string) => `<p style="font-size:14px;color:#ffffffb0;margin:26px 4px 9px">${word}</p>`;
  return {
    ...{ width: 430, height: 932, scale: 3 },
    html: `<body style="background:#1c4a5c;color:#fff;position:relative">
      <svg style="position:absolute;inset:0" width="430" height="932"><rect width="430" height="330" fill="#e9a26b"/><circle cx="300" cy="306" r="74" fill="#f7d9a8"/>
        <path d="M0 330h430v602H0z" fill="#1f5468"/><path d="M0 330h430v40q-110 18-215 0T0 370z" fill="#2b677c"/><path d="M0 520q120-26 215 0t215 0v412H0z" fill="#1a4759"/>
        <path d="M0 730q120-30 215 0t215 0v202H0z" fill="#143a49"/><path d="M118 316l44 0-6 16h-30z" fill="#17323d"/><path d="M140 312v-78l34 74zM136 308v-60l-22 60z" fill="#fff6e6"/></svg>
      <div style="position:relative;padding:64px 30px"><p style="text-align:center;font-size:22px;font-weight:700">Thursday 5 March</p>
        <p style="text-align:center;font-size:92px;line-height:1.05;font-weight:700;letter-spacing:-2px">21:48</p>
        <div style="height:124px"></div>${label("Small")}
        <div style="${glass};width:170px;padding:18px"><p style="font-size:14px">High water</p><b style="font-size:40px">02:14</b><p style="font-size:14px">in 4 h 26 min</p></div>
        ${label("Middle")}<div style="${glass};padding:16px 20px;display:flex;align-items:center;gap:18px"><div><p style="font-size:14px">Veere</p><b style="font-size:34px">02:14</b><p style="font-size:14px">3.8 m</p></div>
          <svg width="230" height="82"><path d="${curve(230, 82)}" fill="none" stroke="#fff" stroke-width="3"/><circle cx="112" cy="41" r="6" fill="#f7d9a8"/></svg></div>
        ${label("Wide")}<div style="${glass};padding:18px 20px"><div style="display:flex;justify-content:space-between;font-size:15px"><b>High 02:14 · 3.8 m</b><span>Low 08:31 · 0.4 m</span></div>
          <svg width="330" height="92" style="margin-top:8px"><path d="${curve(330, 92)}L330 92 0 92Z" fill="#ffffff26"/><path d="${curve(330, 92)}" fill="none" stroke="#fff" stroke-width="3"/></svg></div></div></body>`,
  };
}

export function syncBar(): Sheet {
  const entries =
    "21:30|Reefed the main|NW 5, gusts of 28 kn;20:05|Passed the Roompot lock|engine 1 h 10 min;18:42|Course 024° M|6.4 knots over ground;17:20|Set sail|main and jib;16:55|Left Veere|crew of three;15:10|Took 60 l of diesel|harbor of Veere";
  const entry = (line: string, index: number) => {
    const [at, what, more] = line.split("|");
    const waits =
      index < 2
        ? `<span style="font-size:13px;color:#a2661a;background:#fdf0de;padding:3px 9px;border-radius:9px">waits</span>`
        : "";
    return `<div style="background:#fff;border-radius:16px;padding:14px 18px;margin-bottom:10px;display:flex;gap:16px;align-items:center"><b style="font-size:15px;color:#5b727c">${at}</b>
      <div style="flex:1"><b style="font-size:18px">${what}</b><p style="font-size:15px;color:#5b727c">${more}</p></div>${waits}</div>`;
  };
  return phone(
    `<div style="padding:22px 20px"><h1 style="font-size:34px">Log</h1><div style="background:#17323d;color:#fff;border-radius:16px;padding:14px 18px;margin:14px 0 18px">
      <p style="font-size:16px;display:flex;justify-content:space-between"><b>Syncing with the harbor</b><span>38 of 61</span></p>
      <div style="height:6px;border-radius:3px;background:#ffffff30;margin-top:10px"><div style="height:6px;width:62%;border-radius:3px;background:#6fd0b0"></div></div>
      <p style="font-size:14px;opacity:.75;margin-top:9px">You can read and write meanwhile.</p></div>${entries.split(";").map(entry).join("")}</div>`,
    "#eef2f3",
    "#17323d",
  );
}
