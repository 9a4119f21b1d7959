/** A Postgres that does not answer yet: commands say so while they wait for it. */
import { expect, test } from "bun:test";
import { freshDatabase, runProgram, until } from "./support/harness.ts";
import { startProxy } from "./support/proxy.ts";

test.each([[["serve", "--port", "0"]], [["project", "list"]], [["doctor"]]])(
  "svc %p says on standard error that Postgres does not answer",
  async (args) => {
    await using running = runProgram(args, { SVC_DATABASE_URL: "postgres://svc:secret@127.0.0.1:1/svc" });
    await until(() => running.errors() !== "" || running.process.exitCode !== null, "it says so");
    expect(running.process.exitCode).toBeNull();
    expect(running.errors()).toMatch(
      /^svc: Postgres at 127\.0\.0\.1:1\/svc does not answer \(.+\); trying for another \d\d seconds\n/,
    );
    const lines = () => running.errors().trim().split("\n").length;
    await until(() => lines() > 1, "it says so again");
  },
);

test("svc serve starts when Postgres begins to answer", async () => {
  await using database = await freshDatabase("postgres");
  await using proxy = await startProxy(new URL(database.url));
  proxy.stall();
  await using running = runProgram(["serve", "--port", "0"], { SVC_DATABASE_URL: proxy.url(database.url) });
  await until(() => running.errors().includes("does not answer"), "it says that it waits");
  proxy.resume();
  await until(() => running.output().includes("http://"), "it serves");
});
