/** `svc webhook`, against a server and on a database of this machine. */
import { expect, test } from "bun:test";
import { Webhook as Verifier } from "standardwebhooks";
import type { CreatedWebhook, Webhook, WebhookDelivery } from "../../src/integrations/webhooks/schema.ts";
import { jsonLines, useLinkedServer } from "../support/agents/linked-server.ts";
import { command } from "../support/commands/command.ts";
import { must, temporaryFolder, until } from "../support/harness.ts";
import { startReceiver } from "../support/webhooks/event-receiver.ts";

const { svc } = useLinkedServer({ SVC_WEBHOOK_ALLOW: "127.0.0.1" });

test("a webhook is added, gets a signed event, and is replayed, through a server", async () => {
  await using receiver = startReceiver();
  const url = receiver.urlOf("in");
  const flags = ["--name", "deploys", "--kind", "run.failed,run.finished", "--project", "atlas"];
  const added = await svc(["webhook", "add", url, ...flags]);
  expect(added.errors).toMatch(/^Created webhook \w{26}\. Try it: svc webhook test \w{26}\nCopy the signing/);
  const secret = added.output.trim();
  const [webhook] = jsonLines<Webhook>((await svc(["webhook", "list", "--json"])).output);
  expect(webhook?.filters).toEqual({ kind: ["run.failed", "run.finished"], project: ["atlas"] });
  expect((await svc(["webhook", "test", "deploys"])).errors).toMatch(
    /^The receiver answered 200 in \d+ ms\.\n$/,
  );

  const event = ["--project", "atlas", "--actor", "agent:codex", "--summary", "Run 7 failed"];
  await svc(["event", "add", "--kind", "run.failed", ...event]);
  await until(() => receiver.received.length === 2, "the event is delivered");
  const { text, headers, event: sent } = must(receiver.received[1]);
  expect(new Verifier(secret).verify(text, Object.fromEntries(headers.entries()))).toMatchObject({
    ...{ type: "run.failed", data: { summary: "Run 7 failed" } },
  });
  await svc(["webhook", "replay", "deploys", "--event", String(sent.id)]);
  await until(() => receiver.received.length === 3, "the event is delivered again");
  expect(must(receiver.received[2]).id).toBe(`evt_${sent.id}`);
  const logged = async () =>
    jsonLines<WebhookDelivery>((await svc(["webhook", "log", "deploys", "--json"])).output);
  await until(async () => (await logged()).length === 3, "three deliveries are in the log");
  expect((await logged()).map(({ is_test, is_replay }) => [is_test, is_replay])).toEqual([
    [false, true],
    [false, false],
    [true, false],
  ]);
});

test("a webhook is managed on a database of this machine, and mistakes are one line", async () => {
  await using folder = await temporaryFolder();
  await using receiver = startReceiver();
  receiver.answer = () => new Response("no", { status: 500 });
  const local = (...args: string[]) =>
    command(["webhook", ...args], { SVC_DATA_DIR: folder.path, SVC_WEBHOOK_ALLOW: "127.0.0.1" });
  await command(["project", "link", "atlas", "--repo", "acme/atlas"], { SVC_DATA_DIR: folder.path });
  const [added] = jsonLines<CreatedWebhook>(
    (await local("add", receiver.urlOf("in"), "--json", "-q")).output,
  );
  const { id, secret } = must(added);
  expect(added).toMatchObject({ owner: null, status: "active", secret: expect.stringMatching(/^whsec_/) });
  const failed = await local("test", id);
  expect([failed.code, failed.errors]).toEqual([1, "svc: The test failed. The receiver answered 500.\n"]);
  expect((await local("pause", id)).errors).toMatch(
    /^Paused the webhook to http:\/\/127\.0\.0\.1:\d+\/…\.\n$/,
  );
  const rotated = await local("rotate", id);
  expect(rotated.output).toMatch(/^whsec_/);
  expect(rotated.output.trim()).not.toBe(secret);
  expect((await local("remove", id)).errors).toBe(`Removed webhook ${id}.\n`);
  const mistakes: [args: string[], code: number, line: RegExp][] = [
    [["test", "deploys"], 1, /^svc: No webhook "deploys"\. See svc webhook list\.\n$/],
    [["add", receiver.urlOf("in"), "--kind", "run.exploded"], 2, /^svc: kind\[0\] must be one of .*\n$/],
  ];
  for (const [args, code, line] of mistakes)
    expect([args, await local(...args)]).toMatchObject([args, { code, errors: expect.stringMatching(line) }]);
});
