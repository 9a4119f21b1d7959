/** Pictures of the web app: the berth map, a card, a mail, the desk at night. */
import { type Colors, day, harborMap, type MapStyle } from "./harbor-map.ts";
import type { Sheet } from "./paint.ts";

const ink = "#17323d";
const soft = "#5b727c";

/** The map in three windows: phone, tablet and desk. */
export function berthMap(version: 1 | 2 | 3): Sheet {
  const names = version === 1 ? "across" : "along";
  const frame = (
    title: string,
    left: number,
    width: number,
    height: number,
    view: string,
    style: Partial<MapStyle>,
    thumb: string,
  ) => `
    <div style="position:absolute;left:${left}px;top:152px;width:${width}px">
      <p style="font-size:19px;color:${soft};margin-bottom:12px">${title}</p>
      <div style="position:relative;height:${height}px;border-radius:18px;border:7px solid #22323a;overflow:hidden;background:#fff">
        <div style="height:46px;padding:0 16px;display:flex;align-items:center;justify-content:space-between;font-size:16px;font-weight:700;color:${ink}">
          <span>Veere</span><span style="font-size:13px;color:#2f9e6e">9 free tonight</span></div>
        <svg viewBox="${view}" preserveAspectRatio="xMidYMid slice" width="100%" height="${height - 60}">
          ${harborMap({ names, text: 15, colors: day, ...style })}</svg>${thumb}</div></div>`;
  const knob = (mark: string, place: string) =>
    `<span style="position:absolute;${place};width:46px;height:46px;border-radius:50%;background:#fff;border:2px solid ${ink};
      display:grid;place-items:center;font-size:22px;color:${ink}">${mark}</span>`;
  const handles =
    version === 3
      ? knob("+", "right:14px;bottom:128px") +
        knob("−", "right:14px;bottom:72px") +
        knob("◎", "right:14px;bottom:16px")
      : knob("+", "left:14px;top:60px") + knob("−", "left:14px;top:114px") + knob("◎", "left:14px;top:168px");
  return {
    ...{ width: 1600, height: 1000 },
    html: `<body style="background:#f3f1ea"><h1 style="position:absolute;left:64px;top:44px;font-size:36px;color:${ink}">Berth map, from the water side</h1>
      <p style="position:absolute;left:64px;top:98px;font-size:20px;color:${soft}">Sample harbor · ${
        [
          "",
          "names across the jetties",
          "names along the jetty, none below 400 px",
          "names along the jetty, handles at the thumb",
        ][version]
      }</p>
      <p style="position:absolute;right:64px;top:52px;font-size:18px;color:${soft}">
        ${legend("#2f9e6e", "free")}${legend("#8fa3ad", "taken")}${legend("#e0912b", "arrives today")}</p>
      ${frame("320 px", 64, 320, 770, "52 0 216 500", version === 1 ? { text: 26 } : { names: "none" }, handles)}
      ${frame("768 px", 432, 460, 650, "20 0 384 500", { text: version === 1 ? 22 : 15 }, "")}
      ${frame("1440 px", 940, 596, 490, "0 0 720 520", { text: version === 1 ? 20 : 15 }, "")}</body>`,
  };
}

const legend = (colour: string, word: string) =>
  `<span style="display:inline-block;width:14px;height:14px;border-radius:4px;background:${colour};margin:0 8px 0 26px"></span>${word}`;

export const berthCard = (): Sheet => ({
  ...{ width: 720, height: 480 },
  html: `<body style="background:#dfeaee;display:grid;place-items:center;color:${ink}">
    <div style="width:600px;background:#fff;border-radius:22px;overflow:hidden;box-shadow:0 12px 32px #17323d30">
      <svg viewBox="60 60 400 110" width="600" height="150" preserveAspectRatio="xMidYMid slice">${harborMap({ names: "none", text: 12, colors: day })}</svg>
      <div style="padding:24px 30px 28px"><div style="display:flex;justify-content:space-between;align-items:baseline">
        <h1 style="font-size:30px">Berth B 14</h1><span style="font-size:17px;color:#23805a;font-weight:700">free until Sunday</span></div>
        <div style="display:flex;gap:14px;margin-top:20px">${fact("2.1 m", "deep at low water", true)}${fact("4.2 m", "wide")}${fact("12 m", "long")}</div>
        <p style="margin-top:20px;font-size:16px;color:${soft}">Lowest tonight at 03:42 · shore power, water · € 28.50</p></div></div></body>`,
});

const fact = (number: string, word: string, first = false) =>
  `<div style="flex:${first ? 1.5 : 1};border-radius:14px;padding:14px 18px;background:${first ? ink : "#eef4f6"};color:${first ? "#fff" : ink}">
    <b style="font-size:${first ? 34 : 26}px">${number}</b><br><span style="font-size:15px;opacity:.8">${word}</span></div>`;

export const offerMail = (): Sheet => ({
  ...{ width: 640, height: 1180 },
  html: `<body style="background:#eceff0;padding:40px;color:${ink}"><div style="background:#fff;border-radius:16px;overflow:hidden;height:100%">
    <svg viewBox="0 40 720 330" width="560" height="256" preserveAspectRatio="xMidYMid slice">${harborMap({ names: "none", text: 12, colors: day })}</svg>
    <div style="padding:34px 44px;font-size:19px;line-height:1.55"><p style="color:${soft};font-size:16px">Harbor of Veere</p>
      <h1 style="font-size:34px;line-height:1.2;margin:6px 0 22px">A berth is free for your weekend</h1>
      <p>Somebody cancelled. Berth <b>B 14</b> is yours from Friday to Sunday, if you still want it.</p>
      <div style="margin:28px 0;padding:24px;border-radius:14px;background:#fdf0de;text-align:center">
        <p style="font-size:16px;color:#8a5a12">This offer ends in</p><p style="font-size:54px;font-weight:700;letter-spacing:3px;line-height:1.2">02:59:41</p></div>
      <table style="width:100%;font-size:18px;border-collapse:collapse">${[
        ["Depth at low water", "2.1 m"],
        ["Width", "4.2 m"],
        ["Two nights", "€ 57.00"],
      ]
        .map(
          ([a, b]) =>
            `<tr><td style="padding:9px 0;border-bottom:1px solid #e3e8ea">${a}</td><td style="text-align:right;border-bottom:1px solid #e3e8ea"><b>${b}</b></td></tr>`,
        )
        .join("")}</table>
      <p style="margin:32px 0 26px;background:${ink};color:#fff;text-align:center;padding:17px;border-radius:12px;font-weight:700">Take the berth</p>
      <p style="font-size:15px;color:${soft}">You are on the waiting list as Zeevogel, 11.2 m. Leave the list whenever you like.</p></div></div></body>`,
});

const night: Colors = {
  ...{
    water: "#0d1a20",
    deep: "#0a151a",
    land: "#1c2427",
    jetty: "#4a4034",
    free: "#256f54",
    taken: "#33434a",
    soon: "#7a5522",
  },
  ...{ hull: "#22323a", ink: "#93a9b3" },
};

/** The first is too dark to tell free berths from the water, the second is not. */
export function deskNight(version: 1 | 2): Sheet {
  const c = version === 1 ? night : { ...night, free: "#3fd39a", soon: "#f0ad4e", taken: "#7f97a2" };
  const [text, dim] = version === 1 ? ["#7c8d95", "#46565e"] : ["#d7e3e8", "#9bb0ba"];
  const arrivals =
    "Zeevogel|11.2 m|B 14|15:10;Marie Galante|9.8 m|A 03|15:40;Noorderlicht|14.0 m|C 02|16:05;Albatros II|8.4 m|A 11|16:30;Windroos|10.1 m|B 07|17:15;Stern|7.6 m|A 12|18:00;De Goede Hoop|12.9 m|C 05|18:20";
  const row = (line: string) => {
    const [boat, length, berth, at] = line.split("|");
    return `<div style="display:flex;padding:19px 0;border-bottom:1px solid #223038;font-size:21px;color:${text}"><span style="width:80px;color:${dim}">${at}</span>
      <b style="flex:1">${boat}</b><span style="width:90px;color:${dim}">${length}</span><b style="width:64px;text-align:right;color:${c.soon}">${berth}</b></div>`;
  };
  const count = (number: string, word: string, colour: string) =>
    `<div style="flex:1;background:#131f25;border-radius:14px;padding:18px 24px"><b style="font-size:44px;color:${colour}">${number}</b>
      <span style="font-size:19px;color:${dim};margin-left:10px">${word}</span></div>`;
  return {
    ...{ width: 1920, height: 1080 },
    html: `<body style="background:#0a1216;color:${text};padding:44px 52px"><div style="display:flex;justify-content:space-between;align-items:baseline">
      <h1 style="font-size:34px">Desk · Veere</h1><p style="font-size:21px;color:${dim}">Thursday, 21:48 · high water 02:14</p></div>
      <div style="display:flex;gap:28px;margin-top:30px"><div style="flex:1.75">
        <div style="display:flex;gap:18px;margin-bottom:22px">${count("9", "free", c.free)}${count("61", "taken", text)}${count("7", "still to arrive", c.soon)}</div>
        <svg viewBox="0 0 720 520" width="1130" height="760" preserveAspectRatio="xMidYMid slice" style="border-radius:16px">${harborMap({ names: "along", text: 14, colors: c })}</svg></div>
      <div style="flex:1;background:#101a1f;border-radius:16px;padding:30px 34px"><h2 style="font-size:24px;margin-bottom:12px">Arrivals</h2>${arrivals.split(";").map(row).join("")}
        <p style="margin-top:30px;font-size:19px;color:${dim}">${version === 1 ? "free 2.9 : 1 · arrives 2.7 : 1" : "free 9.3 : 1 · arrives 9.1 : 1 · taken 5.8 : 1"}</p></div></div></body>`,
  };
}
