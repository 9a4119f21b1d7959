/** A GitLab delivery counts only with the secret token, or with a signature of its own body. */
import { describe, expect, test } from "bun:test";
import { secondMicros } from "../../../src/core/lib/time.ts";
import {
  deliverTo,
  fixture,
  forgeEnv,
  linkOn,
  openForgeApp,
  secretOf,
  standardHeaders,
} from "../../support/forges/forge-deliveries.ts";
import { added, duplicate, feedOf } from "../../support/forges/github-deliveries.ts";
import { dialects, openApp } from "../../support/harness.ts";

const body = await fixture("gitlab/issue");
const text = JSON.stringify(body);
const signingToken = forgeEnv.SVC_GITLAB_WEBHOOK_SECRET.split(", ")[2] as string;

describe.each([...dialects])("GitLab webhooks on %s", (dialect) => {
  test("are refused without the secret token, whatever else they carry", async () => {
    await using app = await openForgeApp(dialect);
    const tokens = [
      null,
      "",
      " ",
      "wrong",
      `${secretOf("gitlab")}!`,
      signingToken,
      forgeEnv.SVC_GITLAB_WEBHOOK_SECRET,
    ];
    for (const token of tokens) {
      const { status, body: problem } = await deliverTo(app, "gitlab", text, {
        headers: { "x-gitlab-token": token },
      });
      expect([token, status]).toEqual([token, 401]);
      expect(problem.detail).toBe(
        "X-Gitlab-Token or webhook-signature does not match. Is SVC_GITLAB_WEBHOOK_SECRET the secret set in GitLab?",
      );
    }
    expect(await feedOf(app)).toEqual([]);
  });

  test("are accepted with any of the secrets, which makes a rotation possible", async () => {
    await using app = await openForgeApp(dialect);
    await linkOn(app, "gitlab", "example.com", ["atlas", body.project.path_with_namespace]);
    const headers = { "x-gitlab-token": "an older secret" };
    expect(await deliverTo(app, "gitlab", text, { headers })).toEqual(added);
    expect(await deliverTo(app, "gitlab", text)).toEqual(duplicate);
  });

  test("are accepted with a signature of the bytes, once, within five minutes", async () => {
    await using app = await openForgeApp(dialect);
    await linkOn(app, "gitlab", "example.com", ["atlas", body.project.path_with_namespace]);
    const now = Math.floor(app.clock.now() / secondMicros);
    const send = (headers: Record<string, string | null>, sent = text) =>
      deliverTo(app, "gitlab", sent, { headers });
    const signed = standardHeaders(text, now);
    expect(await send(signed)).toEqual(added);
    expect(await send(signed)).toEqual(duplicate);
    expect(await send({ ...signed, "webhook-signature": `v1,AAAA ${signed["webhook-signature"]}` })).toEqual(
      duplicate,
    );
    for (const seconds of [now - 299, now + 299])
      expect((await send(standardHeaders(text, seconds))).status).toBe(202);
    const refused: Record<string, string | null>[] = [
      ...[now - 302, now + 302].map((seconds) => standardHeaders(text, seconds)),
      standardHeaders(`${text} `, now),
      standardHeaders(text, now, Buffer.alloc(32, 8)),
      ...["v1,", "", "v1", (signed["webhook-signature"] as string).replace("v1,", "v1a,")].map(
        (signature) => ({
          ...signed,
          "webhook-signature": signature,
        }),
      ),
      { ...signed, "webhook-id": "another" },
      { ...signed, "webhook-id": null },
      { ...signed, "webhook-timestamp": String(now + 1) },
      { ...signed, "webhook-timestamp": `${now}.0` },
      { ...signed, "webhook-timestamp": null },
      // A signature that does not match is never rescued by the secret token.
      { ...standardHeaders("{}", now), "x-gitlab-token": secretOf("gitlab") },
    ];
    for (const headers of refused) expect([headers, (await send(headers)).status]).toEqual([headers, 401]);
    app.clock.advance(600 * secondMicros);
    expect((await send(signed)).status).toBe(401);
    expect(await feedOf(app)).toHaveLength(1);
  });
});

test("without a configured secret a webhook gets a 501 that names the variable", async () => {
  await using app = await openApp("sqlite", {});
  for (const sender of ["gitlab", "gitea", "bitbucket", "vercel", "netlify", "cloudflare"] as const) {
    const { status, body: problem } = await deliverTo(app, sender, text);
    expect([status, String(problem.detail)]).toEqual([
      501,
      expect.stringContaining(`Set SVC_${sender.toUpperCase()}_WEBHOOK_SECRET to receive them.`),
    ]);
  }
});

test("a lone comma or a prefix without a key configures no secret", async () => {
  await using app = await openApp("sqlite", { SVC_GITLAB_WEBHOOK_SECRET: "whsec_, ," });
  for (const headers of [
    { "x-gitlab-token": "" },
    { "x-gitlab-token": "whsec_" },
    standardHeaders(text, Math.floor(app.clock.now() / secondMicros), Buffer.alloc(0)),
  ])
    expect((await deliverTo(app, "gitlab", text, { headers })).status).toBe(401);
});
