/** Short films: stills that follow each other, as in a recording of a screen. */
import type { Browser } from "playwright-core";
import { day, harborMap } from "./harbor-map.ts";
import { ffmpeg, type Sheet, shoot } from "./paint.ts";

/** Each still stays for its seconds. */
export async function film(browser: Browser, stills: [Sheet, number][]): Promise<Uint8Array> {
  const files: Record<string, Uint8Array | string> = {};
  const list: string[] = [];
  for (const [index, [sheet, seconds]] of stills.entries()) {
    files[`${index}.png`] = await shoot(browser, sheet);
    list.push(`file ${index}.png`, `duration ${seconds}`);
  }
  files["list.txt"] = `${list.join("\n")}\nfile ${stills.length - 1}.png\n`;
  const coded = [
    "-c:v",
    "libx264",
    "-preset",
    "veryslow",
    "-tune",
    "animation",
    "-crf",
    "27",
    "-g",
    "50",
    "-pix_fmt",
    "yuv420p",
    "-threads",
    "1",
  ];
  return ffmpeg(files, [
    "-f",
    "concat",
    "-i",
    "list.txt",
    "-vf",
    "fps=25",
    ...coded,
    "-movflags",
    "+faststart",
    "out.mp4",
  ]);
}

const keyName = (key: string) =>
  `<kbd style="font:700 26px monospace;background:#17323d;color:#fff;padding:12px 22px;border-radius:12px">${key}</kbd>`;

/**
 * Out of the date picker by the keys alone. The first recording shows a guest's name, the second the sample
 * harbor's.
 */
export function datePicker(version: 1 | 2): [Sheet, number][] {
  const guest = version === 1 ? "H. van der Meulen · +31 6 1234 5678" : "Sample guest · Zeevogel";
  const steps: [
    key: string,
    focus: number,
    from: number | null,
    to: number | null,
    open: boolean,
    seconds: number,
  ][] = [
    ["Tab", 0, null, null, false, 1.2],
    ["Enter", 5, null, null, true, 1],
    ...[6, 7, 8].map((focus): [string, number, null, null, boolean, number] => [
      "→",
      focus,
      null,
      null,
      true,
      0.4,
    ]),
    ["↓", 15, null, null, true, 0.7],
    ["Enter", 15, 15, null, true, 1],
    ...[16, 17].map((focus): [string, number, number, null, boolean, number] => [
      "→",
      focus,
      15,
      null,
      true,
      0.4,
    ]),
    ["Enter", 17, 15, 17, true, 1.2],
    ["Esc", 0, 15, 17, false, 1.2],
    ["Tab", -1, 15, 17, false, 1.6],
  ];
  return steps.map(([key, focus, from, to, open, seconds]) => [
    pickerAt(guest, key, focus, from, to, open),
    seconds,
  ]);
}

function pickerAt(
  guest: string,
  key: string,
  focus: number,
  from: number | null,
  to: number | null,
  open: boolean,
): Sheet {
  const ring = "box-shadow:0 0 0 4px #fff,0 0 0 8px #1b7a9c";
  const date = Array.from({ length: 31 }, (_, index) => {
    const number = index + 1;
    const chosen = from !== null && number >= from && number <= (to ?? from);
    return `<span style="width:58px;height:50px;display:grid;place-items:center;border-radius:10px;font-size:20px;${chosen ? "background:#17323d;color:#fff;" : ""}${
      open && focus === number ? ring : ""
    }">${number}</span>`;
  }).join("");
  const nights = from === null ? "Choose your nights" : `${from} March to ${to ?? "…"} ${to ? "March" : ""}`;
  return {
    ...{ width: 1280, height: 720 },
    html: `<body style="background:#eef2f3;color:#17323d;padding:48px 64px"><p style="display:flex;justify-content:space-between;font-size:22px"><b>Harbor of Veere</b><span>${guest}</span></p>
      <h1 style="font-size:42px;margin:26px 0 22px">Book a berth</h1><div style="display:flex;gap:22px;font-size:22px">
      <div style="width:480px;background:#fff;border-radius:14px;padding:20px 24px;${focus === 0 ? ring : ""}">${nights}</div>
      <div style="width:240px;background:#2f7d5e;color:#fff;border-radius:14px;padding:20px 24px;font-weight:700;text-align:center;${focus === -1 ? ring : ""}">Show berths</div></div>
      ${open ? `<div style="margin-top:18px;width:480px;background:#fff;border-radius:14px;padding:20px 24px;box-shadow:0 12px 30px #17323d26"><b style="font-size:21px">March 2026</b><div style="display:flex;flex-wrap:wrap;gap:4px;margin-top:12px">${date}</div></div>` : ""}
      <div style="position:absolute;right:64px;bottom:52px">${keyName(key)}</div></body>`,
  };
}

/** The deck theme while the sun moves over the phone. */
export const deckSun = (): [Sheet, number][] =>
  Array.from({ length: 50 }, (_, at): [Sheet, number] => {
    const turn = (2 * Math.PI * at) / 50;
    const [x, y] = [270 + 170 * Math.cos(turn), 330 + 190 * Math.sin(turn)];
    const button = (word: string, fill: string) =>
      `<div style="height:112px;border:5px solid #06181f;border-radius:22px;background:${fill};display:grid;place-items:center;font-size:34px;font-weight:700">${word}</div>`;
    return [
      {
        ...{ width: 540, height: 960 },
        html: `<body style="background:#20566b"><svg style="position:absolute" width="540" height="960" viewBox="120 0 290 520" preserveAspectRatio="xMidYMid slice">${harborMap({ names: "none", text: 1, colors: day })}</svg>
          <div style="position:absolute;inset:90px 66px;border:12px solid #0a1418;border-radius:56px;background:#fff;padding:44px 30px;color:#06181f;overflow:hidden"><p style="font-size:22px;font-weight:700">Veere to Hoek</p>
          <p style="font-size:104px;font-weight:700;line-height:1.1">6.${4 + Math.round(2 * Math.sin(2 * turn))}<span style="font-size:32px"> kn</span></p>
          <div style="display:grid;gap:20px;margin-top:26px">${button("Sail change", "#fff")}${button("Note", "#fff")}${button("Stop", "#ffd84a")}</div></div>
          <div style="position:absolute;inset:0;background:radial-gradient(circle at ${x}px ${y}px,#fffbe6f2 0,#fff3c4a6 90px,#fff3c400 300px)"></div></body>`,
      },
      0.16,
    ];
  });
