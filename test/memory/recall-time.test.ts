/** Recall by time: what happened in the time that a query names, and reports that are named by their rhythm. */
import { describe, expect, test } from "bun:test";
import { fromMicros, toMicros } from "../../src/core/lib/time.ts";
import { namedTime } from "../../src/memory/recall/named-time.ts";
import { dialects, event, link, openApp } from "../support/harness.ts";
import { texts } from "../support/memory/recall.ts";

const now = toMicros("2026-03-18T12:00:00Z"); // a Wednesday

test.each([
  ["what happened yesterday", "2026-03-17", "2026-03-18"],
  ["what changed today?", "2026-03-18", "2026-03-19"],
  ["deploys last week", "2026-03-09", "2026-03-16"],
  ["this week's deploys", "2026-03-16", "2026-03-23"],
  ["yesterday's failure", "2026-03-17", "2026-03-18"],
  ["the day before yesterday", "2026-03-16", "2026-03-17"],
  ["three days ago", "2026-03-15", "2026-03-16"],
  ["what ran last night", "2026-03-17", "2026-03-18"],
  ["on December 24", "2025-12-24", "2025-12-25"],
  ["on 3 March 2025", "2025-03-03", "2025-03-04"],
  ["what was done this week", "2026-03-16", "2026-03-23"],
  ["failures in the last 3 days", "2026-03-15", "2026-03-19"],
  ["what failed 2 weeks ago", "2026-03-02", "2026-03-09"],
  ["last month", "2026-02-01", "2026-03-01"],
  ["merged in February", "2026-02-01", "2026-03-01"],
  ["merged in March", "2026-03-01", "2026-04-01"],
  ["merged in November", "2025-11-01", "2025-12-01"],
  ["December 2024 incidents", "2024-12-01", "2025-01-01"],
  ["on Monday", "2026-03-16", "2026-03-17"],
  ["last Friday", "2026-03-13", "2026-03-14"],
  ["on 2026-01-31", "2026-01-31", "2026-02-01"],
  ["last quarter", "2025-10-01", "2026-01-01"],
  ["was ist gestern passiert", "2026-03-17", "2026-03-18"],
  ["que s'est-il passé la semaine dernière", "2026-03-09", "2026-03-16"],
  ["qué pasó ayer", "2026-03-17", "2026-03-18"],
  ["что случилось вчера", "2026-03-17", "2026-03-18"],
  ["昨天发生了什么", "2026-03-17", "2026-03-18"],
  ["先週のデプロイ", "2026-03-09", "2026-03-16"],
  ["어제 배포", "2026-03-17", "2026-03-18"],
  ["der Fehler von vorgestern", "2026-03-16", "2026-03-17"],
  ["was war letzten Freitag", "2026-03-13", "2026-03-14"],
  ["was geschah vor zwei Wochen", "2026-03-02", "2026-03-09"],
  ["was wurde im Januar gemacht", "2026-01-01", "2026-02-01"],
  ["l'échec d'hier", "2026-03-17", "2026-03-18"],
  ["vendredi dernier", "2026-03-13", "2026-03-14"],
  ["il y a trois jours", "2026-03-15", "2026-03-16"],
  ["le 20 janvier", "2026-01-20", "2026-01-21"],
  ["le mois dernier", "2026-02-01", "2026-03-01"],
  ["el viernes pasado", "2026-03-13", "2026-03-14"],
  ["hace dos semanas", "2026-03-02", "2026-03-09"],
  ["qué pasó en diciembre", "2025-12-01", "2026-01-01"],
  ["venerdì scorso", "2026-03-13", "2026-03-14"],
  ["as falhas de anteontem", "2026-03-16", "2026-03-17"],
  ["afgelopen vrijdag", "2026-03-13", "2026-03-14"],
  ["что случилось в пятницу", "2026-03-13", "2026-03-14"],
  ["上周五发生了什么", "2026-03-13", "2026-03-14"],
  ["3天前", "2026-03-15", "2026-03-16"],
  ["前天的失败", "2026-03-16", "2026-03-17"],
  ["先週の月曜日", "2026-03-09", "2026-03-10"],
  ["三日前に何があった", "2026-03-15", "2026-03-16"],
  ["一昨日", "2026-03-16", "2026-03-17"],
  ["12月24日", "2025-12-24", "2025-12-25"],
  ["지난주 금요일", "2026-03-13", "2026-03-14"],
  ["그저께 실패", "2026-03-16", "2026-03-17"],
  ["the solver starts from yesterday's plan", null, null],
  ["was ist hier passiert", null, null],
  ["step 3 may fail twice", null, null],
  ["每周一次备份", null, null],
  [`${"we looked for it for hours ".repeat(8)}yesterday`, null, null],
  ["you may march on", null, null],
  ["on 2026-02-31", null, null],
])("%p names the time from %p to %p", (query, from, until) => {
  const time = namedTime(query, now);
  const dayOf = (micros: number | undefined) =>
    micros === undefined ? null : fromMicros(micros).slice(0, 10);
  expect([dayOf(time?.from), dayOf(time?.until)]).toEqual([from, until]);
});

describe.each(dialects)("recall by time on %s", (dialect) => {
  test("finds what happened then, the newest first, and prefers it among what has the words", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    await link(app.ctx.data, "beacon");
    const at = (day: string) => toMicros(`${day}T09:00:00Z`);
    const finish = (summary: string, day: string, project = "atlas") =>
      app.ctx.data.append([event({ project, kind: "run.finished", summary, ts: at(day) })]);
    await finish("Report of the week is sent", "2026-02-09");
    await finish("Deployed the berth planner", "2026-02-10");
    await finish("Fixed the tide table", "2026-03-10");
    await finish("Deployed the tide table", "2026-03-12");
    await finish("Lamp is replaced", "2026-03-12", "beacon");
    await finish("Weekly report is sent", "2026-03-16");
    await finish("Renamed the pier", "2026-03-17");
    const failed = { project: "atlas", kind: "run.failed", ts: at("2026-03-05") } as const;
    await app.ctx.data.append([event({ ...failed, summary: "Import of charts stopped" })]);
    await finish("Printed the charts", "2026-03-05");
    await finish("Error pages have a map", "2026-03-03");
    for (const [project, text] of [
      ["atlas", "Piers have numbers"],
      ["beacon", "Lamps have letters"],
    ] as const)
      await app.ctx.data.atomically((writes) =>
        writes.addDecision({
          ...{ project, text, source: "cli", source_ref: null, actor: "human:maria" },
          valid_from: at("2026-03-17") + 1,
        }),
      );
    app.clock.advance(now - app.clock.now());
    const found = (query: string, options = {}) => texts(app, query, { project: "atlas", ...options });
    expect(await found("what happened yesterday")).toEqual(["Piers have numbers", "Renamed the pier"]);
    expect((await found("what happened last week")).slice(0, 2)).toEqual([
      "Deployed the tide table",
      "Fixed the tide table",
    ]);
    expect((await found("what happened in February", { kinds: ["event"] })).slice(0, 2)).toEqual([
      "Deployed the berth planner",
      "Report of the week is sent",
    ]);
    const failures = ["what failed on March 5", "Fehler am 5. März", "les échecs du 5 mars", "3月5日の失敗"];
    for (const query of failures) expect((await found(query))[0]).toBe("Import of charts stopped");
    expect((await found("failed import on March 5"))[0]).toBe("Import of charts stopped");
    expect((await found("error pages on March 3"))[0]).toBe("Error pages have a map");
    expect((await found("deployed last month"))[0]).toBe("Deployed the berth planner");
    expect((await found("what was deployed last week"))[0]).toBe("Deployed the tide table");
    expect((await found("the weekly report")).slice(0, 2)).toEqual([
      "Weekly report is sent",
      "Report of the week is sent",
    ]);
    const limited = await texts(app, "what happened last week", {}, { projects: ["atlas"] });
    expect(limited).not.toContain("Lamp is replaced");
  });
});
