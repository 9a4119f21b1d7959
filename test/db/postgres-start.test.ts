/** Commands wait for a Postgres that is still starting, and report it. */
import { expect, test } from "bun:test";
import { freshDatabase, runProgram, until } from "../support/harness.ts";
import { startProxy } from "../support/servers/proxy.ts";

test.concurrent.each([[["serve", "--port", "0"]], [["project", "list"]], [["doctor"]]])(
  "svc %p reports on standard error that it waits for Postgres",
  async (args) => {
    await using running = runProgram(args, { SVC_DATABASE_URL: "postgres://svc:secret@127.0.0.1:1/svc" });
    await until(() => running.errors() !== "" || running.process.exitCode !== null, "it reports the wait");
    expect(running.process.exitCode).toBeNull();
    expect(running.errors()).toMatch(
      /^svc: Waiting for Postgres at 127\.0\.0\.1:1\/svc \(.+\); giving up in \d\d seconds\n/,
    );
    const lines = () => running.errors().trim().split("\n").length;
    await until(() => lines() > 1, "it reports again");
  },
);

test.concurrent("svc serve starts once Postgres accepts connections", async () => {
  await using database = await freshDatabase("postgres");
  await using proxy = await startProxy(new URL(database.url));
  proxy.stall();
  await using running = runProgram(["serve", "--port", "0"], { SVC_DATABASE_URL: proxy.url(database.url) });
  await until(() => running.errors().includes("Waiting for Postgres"), "it reports the wait");
  proxy.resume();
  await until(() => running.output().includes("http://"), "it serves");
});
