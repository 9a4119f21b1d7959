/** Repositories that are renamed, on every forge: the stored id wins over a name. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ForgeName, forgeNames } from "../../../src/core/forges/schema.ts";
import {
  deliverTo,
  fixture,
  linkOn,
  openForgeApp,
  type Payload,
} from "../../support/forges/forge-deliveries.ts";
import { added, deliver, feedOf, ignored, repositories } from "../../support/forges/github-deliveries.ts";
import { example, secret } from "../../support/forges/github-webhooks.ts";
import { dialects, type TestApp } from "../../support/harness.ts";

const hosts: Record<ForgeName, string> = {
  github: "github.com",
  gitlab: "gitlab.example.com",
  gitea: "codeberg.org",
  bitbucket: "bitbucket.org",
};

/** An opened issue of a repository. */
interface Issue {
  id: number;
  repo: string;
  number: number;
}

const timeOf = (number: number) => `2026-03-01T12:00:${String(number).padStart(2, "0")}Z`;

/** Its delivery, as each forge sends it. */
const deliverIssue: Record<ForgeName, (app: TestApp, issue: Issue) => Promise<unknown>> = {
  github: (app, { id, repo, number }) =>
    deliver(
      app,
      "issues",
      example("issues", "opened", ({ repository, issue }) => {
        Object.assign(repository, { id, full_name: repo });
        Object.assign(issue, { id: number, number, updated_at: timeOf(number) });
      }),
    ),
  gitlab: async (app, { id, repo, number }) =>
    deliverTo(
      app,
      "gitlab",
      await fixture("gitlab/issue", ({ project, object_attributes }) => {
        const web_url = `https://${hosts.gitlab}/${repo}`;
        Object.assign(project, { id, path_with_namespace: repo, web_url });
        Object.assign(object_attributes, {
          id: number,
          iid: number,
          action: "open",
          updated_at: timeOf(number),
        });
      }),
    ),
  gitea: async (app, { id, repo, number }) =>
    deliverTo(
      app,
      "gitea",
      await fixture("gitea/issues-event", (body: Payload) => {
        const html_url = `https://${hosts.gitea}/${repo}`;
        Object.assign(body.repository, { id, full_name: repo, html_url });
        Object.assign(body.issue, { id: number, number, updated_at: timeOf(number) });
        body.action = "opened";
      }),
      { event: "issues" },
    ),
  bitbucket: async (app, { id, repo, number }) =>
    deliverTo(
      app,
      "bitbucket",
      await fixture("bitbucket/issue-created", ({ repository, issue }) => {
        const uuid = `{${String(id).padStart(8, "0")}-0000-4000-8000-000000000000}`;
        Object.assign(repository, { uuid, full_name: repo });
        Object.assign(issue, { id: number, state: "new", updated_on: timeOf(number) });
      }),
      { event: "issue:created" },
    ),
};

describe.each([...dialects])("on %s", (dialect) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openForgeApp(dialect, { SVC_GITHUB_WEBHOOK_SECRET: secret });
  });
  afterAll(() => app[Symbol.asyncDispose]());

  test.each(forgeNames)(
    "deliveries of %s go to the project of their repository, whatever its name then",
    async (forge) => {
      const [one, two] = [`${forge}-one`, `${forge}-two`];
      await linkOn(app, forge, hosts[forge], [one, "acme/one"]);
      await linkOn(app, forge, hosts[forge], [two, "acme/two"]);
      const issue = (id: number, repo: string, number: number) =>
        deliverIssue[forge](app, { id, repo, number });
      const renamed = (id: number, from: string, to: string) =>
        deliver(app, "repository", {
          action: "renamed",
          changes: { repository: { name: { from } } },
          repository: { id, full_name: `acme/${to}` },
          sender: { login: "a", type: "User" },
        });
      const names = async () => {
        const { [one]: first, [two]: second } = (await repositories(app)) as Record<string, [string, number]>;
        return [first?.[0], second?.[0]];
      };
      const projectOf = async () => (await feedOf(app)).at(-1)?.project;

      expect(await issue(1, "acme/one", 1)).toEqual(added);
      expect(await issue(2, "acme/two", 2)).toEqual(added);
      // They swap their names. Only GitHub tells it, here in another order.
      if (forge === "github") {
        await renamed(2, "two", "one");
        await renamed(1, "between", "two");
        await renamed(1, "one", "between");
      } else {
        await issue(1, "acme/two", 11);
        await issue(2, "acme/one", 12);
      }
      expect(await names()).toEqual(["acme/two", "acme/one"]);

      // Deliveries from before arrive late.
      expect(await issue(1, "acme/one", 5)).toEqual(added);
      expect(await projectOf()).toBe(one);
      expect(await issue(2, "acme/two", 6)).toEqual(added);
      expect(await projectOf()).toBe(two);
      expect(await names()).toEqual(["acme/two", "acme/one"]);

      if (forge === "github") {
        await renamed(1, "three", "four");
        await renamed(1, "two", "three");
      } else await issue(1, "acme/four", 20);
      expect(await issue(1, "acme/three", 15)).toEqual(added);
      expect(await names()).toEqual(["acme/four", "acme/one"]);

      // Another repository takes over nothing, with an old name or a current one.
      const place = forge === "github" ? "" : `${hosts[forge]}/`;
      expect(await issue(9, "acme/two", 30)).toEqual(ignored(`repository ${place}acme/two is not linked`));
      expect(await issue(9, "acme/four", 31)).toEqual(added);
      expect(await issue(1, "acme/five", 32)).toEqual(added);
      expect(await names()).toEqual(["acme/five", "acme/one"]);
    },
  );

  describe("a rename that is the first delivery of a repository", () => {
    const from = (id: number, old: string, repo: string) => ({
      github: () =>
        deliver(app, "repository", {
          action: "renamed",
          changes: { repository: { name: { from: old } } },
          repository: { id, full_name: repo },
          sender: { login: "a", type: "User" },
        }),
      bitbucket: () =>
        deliverTo(
          app,
          "bitbucket",
          {
            actor: { nickname: "a" },
            repository: {
              uuid: `{${String(id).padStart(8, "0")}-0000-4000-8000-000000000000}`,
              full_name: repo,
            },
            changes: { full_name: { old: `first/${old}`, new: repo } },
          },
          { event: "repo:updated" },
        ),
    });
    const issue = (forge: ForgeName, id: number, repo: string, number: number) =>
      deliverIssue[forge](app, { id, repo, number });
    const followed = { status: 202, body: { accepted: 0, duplicates: 0 } };
    const nameOf = async (slug: string) =>
      ((await repositories(app)) as Record<string, [string, number]>)[slug]?.[0];

    test.each(["github", "bitbucket"] as const)("of %s is followed by its name before", async (forge) => {
      const slug = `${forge}-first`;
      await linkOn(app, forge, hosts[forge], [slug, "first/one"]);
      expect(await from(71, "one", "first/two")[forge]()).toEqual(followed);
      expect(await nameOf(slug)).toBe("first/two");
      expect(await issue(forge, 71, "first/two", 41)).toEqual(added);
      expect((await feedOf(app)).at(-1)?.project).toBe(slug);
    });

    test("takes no name from a repository whose id is known", async () => {
      await linkOn(app, "github", hosts.github, ["first-known", "first/known"]);
      expect(await issue("github", 81, "first/known", 42)).toEqual(added);
      expect(await from(80, "known", "first/else").github()).toEqual(
        ignored("repository first/else is not linked"),
      );
      expect(await nameOf("first-known")).toBe("first/known");
    });

    test("is followed after a transfer too", async () => {
      await linkOn(app, "github", hosts.github, ["first-moved", "first/moved"]);
      const transferred = {
        action: "transferred",
        changes: { owner: { from: { organization: { login: "first" } } } },
        repository: { id: 91, full_name: "second/moved" },
        sender: { login: "a", type: "User" },
      };
      expect(await deliver(app, "repository", transferred)).toEqual(followed);
      expect(await nameOf("first-moved")).toBe("second/moved");
    });
  });

  test("an organization of GitHub takes its repositories to its new name", async () => {
    await linkOn(app, "github", hosts.github, ["org-known", "old-org/known"]);
    await linkOn(app, "github", hosts.github, ["org-new", "old-org/new"]);
    await linkOn(app, "github", "ghe.example.com", ["org-other", "old-org/known"]);
    await deliverIssue.github(app, { id: 101, repo: "old-org/known", number: 1 });
    const rename = (from: string, to: string, delivery: string) =>
      deliver(
        app,
        "organization",
        {
          action: "renamed",
          changes: { login: { from } },
          organization: { login: to, id: 5 },
          sender: { login: "a", type: "User", html_url: "https://github.com/a" },
        },
        { "x-github-delivery": delivery },
      );
    const names = async () => {
      const all = (await repositories(app)) as Record<string, [string, number]>;
      return ["org-known", "org-new", "org-other"].map((slug) => all[slug]?.[0]);
    };
    const after = ["new-org/known", "new-org/new", "old-org/known"];
    expect(await rename("old-org", "new-org", "rename-1")).toEqual({
      status: 202,
      body: { accepted: 0, duplicates: 0 },
    });
    expect(await names()).toEqual(after);
    expect(await deliverIssue.github(app, { id: 102, repo: "new-org/new", number: 2 })).toEqual(added);
    // Sent again, and another action.
    await rename("old-org", "new-org", "rename-1");
    expect(await rename("none", "other", "rename-2")).toEqual(ignored("no repository of none is linked"));
    const member = { action: "member_added", organization: { login: "new-org" }, sender: { login: "a" } };
    expect(await deliver(app, "organization", member)).toEqual(
      ignored("organization member_added is not used"),
    );
    expect(await names()).toEqual(after);
  });
});
