/** Previews that Vercel, Netlify and Cloudflare Pages report, with their signatures. */
import { describe, expect, test } from "bun:test";
import {
  deliverTo,
  hexHmac,
  linkOn,
  netlifyToken,
  openForgeApp,
  secretOf,
} from "../../support/forges/forge-deliveries.ts";
import {
  added,
  contentOf,
  duplicate,
  feedOf,
  ignored,
  type Json,
} from "../../support/forges/github-deliveries.ts";
import { cloudflare, netlify, vercel } from "../../support/forges/preview-bodies.ts";
import { dialects, link, type TestApp } from "../../support/harness.ts";

const base = { project: "atlas", repo: "acme/atlas", issue: null, pr: 12, duration_ms: null };

async function openLinked(dialect: (typeof dialects)[number]): Promise<TestApp> {
  const app = await openForgeApp(dialect);
  await link(app.ctx.data, "atlas");
  return app;
}

describe.each([...dialects])("previews on %s", (dialect) => {
  test("of Vercel become events, once per deployment and outcome", async () => {
    await using app = await openLinked(dialect);
    const send = (body: object) => deliverTo(app, "vercel", body);
    expect(await send(vercel("deployment.succeeded"))).toEqual(added);
    // Vercel also sends the older name of the same event.
    expect(await send(vercel("deployment.ready"))).toEqual(duplicate);
    expect(await send(vercel("deployment.error"))).toEqual(added);
    expect(await send(vercel("deployment.succeeded", { id: "dpl_2" }, { target: "production" }))).toEqual(
      added,
    );
    expect(await send(vercel("deployment.created"))).toEqual(ignored("event deployment.created is not used"));
    const event = { ...base, actor: "bot:vercel" };
    expect((await feedOf(app)).map(contentOf)).toEqual([
      {
        ...{ ...event, kind: "preview.ready", summary: "Preview ready in atlas-web" },
        url: "https://atlas-web-git-map.vercel.app/",
      },
      {
        ...{ ...event, kind: "preview.failed", summary: "Preview failed in atlas-web" },
        url: "https://vercel.com/acme/atlas-web/1",
      },
      {
        ...{ ...event, kind: "preview.ready", summary: "Deployment to production succeeded" },
        url: "https://atlas-web-git-map.vercel.app/",
      },
    ] as Json[]);
    // Postgres stores no NUL.
    expect(await send(vercel("deployment.error", { id: "a\0b", name: "\\\0" }))).toEqual(added);
  });

  test("of Netlify become events", async () => {
    await using app = await openLinked(dialect);
    const send = (fields: object) => deliverTo(app, "netlify", netlify(fields));
    expect(await send({})).toEqual(added);
    expect(await send({ deploy_time: 32 })).toEqual(duplicate);
    expect(
      await send({ id: "63a2", state: "error", error_message: "Build script returned 2", review_id: null }),
    ).toEqual(added);
    expect(await send({ state: "building" })).toEqual(ignored("state building is not used"));
    const event = { ...base, actor: "bot:netlify" };
    expect((await feedOf(app)).map(contentOf)).toEqual([
      {
        ...{ ...event, kind: "preview.ready", summary: "Preview ready in map" },
        url: "https://deploy-preview-12--atlas.netlify.app/",
      },
      {
        ...{
          ...event,
          pr: null,
          kind: "preview.failed",
          summary: "Preview failed in map: Build script returned 2",
        },
        url: "https://app.netlify.com/sites/atlas",
      },
    ] as Json[]);
  });

  test("of Cloudflare Pages become events of the project in the webhook's URL", async () => {
    await using app = await openLinked(dialect);
    const send = (body: object, query = "?project=atlas") => deliverTo(app, "cloudflare", body, { query });
    expect(await send(cloudflare())).toEqual(added);
    expect(await send(cloudflare())).toEqual(duplicate);
    expect(
      await send(
        cloudflare({}, { event: "EVENT_DEPLOYMENT_FAILED", environment: "ENVIRONMENT_PRODUCTION", url: "" }),
      ),
    ).toEqual(added);
    expect(await send(cloudflare({ text: "" }, { event: "EVENT_DEPLOYMENT_STARTED" }))).toEqual(
      ignored("a deployment that has not ended is not used"),
    );
    expect(await send(cloudflare({ alert_type: "http_alert_origin_error" }))).toEqual(
      ignored("alert http_alert_origin_error is not used"),
    );
    const event = { ...base, repo: null, pr: null, actor: "bot:cloudflare" };
    expect((await feedOf(app)).map(contentOf)).toEqual([
      {
        ...{ ...event, kind: "preview.ready", summary: "Preview ready in atlas" },
        url: "https://4f5e.atlas.pages.dev/",
      },
      { ...event, kind: "preview.failed", summary: "Deployment to production failed", url: null },
    ] as Json[]);
  });

  test("that name no linked repository belong to the project in the webhook's URL, if it exists", async () => {
    await using app = await openLinked(dialect);
    const unnamed = vercel("deployment.succeeded", { meta: {} });
    const reason = "the delivery names no repository; add ?project=<slug> to the webhook's URL";
    for (const query of ["", "?project=", "?project=nothing", "?project=../atlas"])
      expect([query, await deliverTo(app, "vercel", unnamed, { query })]).toEqual([query, ignored(reason)]);
    const other = vercel("deployment.succeeded", { meta: { githubOrg: "acme", githubRepo: "other" } });
    expect(await deliverTo(app, "vercel", other)).toEqual(ignored("repository acme/other is not linked"));
    expect(await deliverTo(app, "vercel", unnamed, { query: "?project=atlas" })).toEqual(added);
  });

  test("of repositories on GitLab and Bitbucket find their projects", async () => {
    await using app = await openForgeApp(dialect);
    await linkOn(app, "gitlab", "gitlab.com", ["lab", "group/sub/project"]);
    await linkOn(app, "bitbucket", "bitbucket.org", ["bucket", "team/repo"]);
    const meta = { bitbucketRepoOwner: "team", bitbucketRepoSlug: "repo" };
    expect(await deliverTo(app, "vercel", vercel("deployment.error", { meta }))).toEqual(added);
    const commit_url = "https://gitlab.com/group/sub/project/-/commit/4f5e";
    expect(await deliverTo(app, "netlify", netlify({ commit_url }))).toEqual(added);
    expect((await feedOf(app)).map(({ project }) => project)).toEqual(["bucket", "lab"]);
  });
});

describe("a preview", () => {
  test("of Vercel needs the HMAC-SHA1 of the body", async () => {
    await using app = await openLinked("sqlite");
    const text = JSON.stringify(vercel("deployment.ready"));
    const right = hexHmac(secretOf("vercel"), text, "sha1");
    const wrong = [
      null,
      "",
      `sha1=${right}`,
      right.toUpperCase(),
      hexHmac("x", text, "sha1"),
      hexHmac(secretOf("vercel"), text),
    ];
    for (const signature of wrong)
      expect(
        (await deliverTo(app, "vercel", text, { headers: { "x-vercel-signature": signature } })).status,
      ).toBe(401);
    expect(
      (await deliverTo(app, "vercel", `${text} `, { headers: { "x-vercel-signature": right } })).status,
    ).toBe(401);
  });

  test("of Netlify needs a JWT by HS256 from netlify with the hash of the body", async () => {
    await using app = await openLinked("sqlite");
    const text = JSON.stringify(netlify());
    const right = netlifyToken(text);
    const [header = "", claims = "", signature = ""] = right.split(".");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`;
    const wrong = [
      ...[
        null,
        "",
        "..",
        "a.b.c",
        unsigned,
        `${header}.${claims}`,
        `${right}.x`,
        `${header}.${claims}.${signature}=`,
      ],
      ...[netlifyToken(`${text} `), netlifyToken(text, { iss: "other" }), netlifyToken(text, {}, "x")],
      ...[netlifyToken(text, { sha256: null }), netlifyToken(text, {}, secretOf("netlify"), "none")],
    ];
    for (const token of wrong) {
      const { status } = await deliverTo(app, "netlify", text, { headers: { "x-webhook-signature": token } });
      expect([token, status]).toEqual([token, 401]);
    }
    expect(await deliverTo(app, "netlify", text)).toEqual(added);
  });

  test("of Cloudflare needs the secret", async () => {
    await using app = await openLinked("sqlite");
    for (const secret of [null, "", "x", `${secretOf("cloudflare")} x`]) {
      const { status } = await deliverTo(app, "cloudflare", cloudflare(), {
        ...{ query: "?project=atlas", headers: { "cf-webhook-auth": secret } },
      });
      expect([secret, status]).toEqual([secret, 401]);
    }
  });

  test("with another shape is a 400 that names what is missing", async () => {
    await using app = await openLinked("sqlite");
    const bodies = [
      ["vercel", { type: "deployment.ready" }, "/payload"],
      ["vercel", [], "JSON object"],
      ["netlify", { state: "ready" }, "/id"],
      ["cloudflare", { data: 7 }, "/data"],
    ] as const;
    for (const [sender, body, missing] of bodies) {
      const { status, body: problem } = await deliverTo(app, sender, body);
      expect([sender, status, problem.detail]).toEqual([sender, 400, expect.stringContaining(missing)]);
    }
  });
});
