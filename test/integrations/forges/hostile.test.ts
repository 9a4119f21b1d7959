/** What strangers write in titles, names and URLs on a forge is cleaned, and never a reason to refuse. */
import { expect, test } from "bun:test";
import {
  deliverTo,
  fixture,
  linkOn,
  openForgeApp,
  type Payload,
} from "../../support/forges/forge-deliveries.ts";
import { added, feedOf } from "../../support/forges/github-deliveries.ts";

const titles: [title: string, cleaned: string][] = [
  ["\u0000nul\u0000", "nul"],
  ["two\r\nlines\u2028or\tmore", "two lines or more"],
  ["\u001b[2J\u001b[31mred\u001b[0m", "red"],
  ["\u202eevol\u202c \u2066isolate\u2069", "evol isolate"],
  ["half \ud83d of a pair", "half \ufffd of a pair"],
  ["event: forged\n\ndata: {}", "event: forged data: {}"],
  ["<script>alert(1)</script>", "<script>alert(1)</script>"],
];
const names: [name: string, actor: string][] = [
  ["zoe maria", "human:zoemaria"],
  ["\u001b[31mroot\u202e", "human:root"],
  ["", "human:unknown"],
  ["é".repeat(200), `human:${"é".repeat(62)}…`],
];
const urls = [
  "javascript:alert(1)",
  "http://example.com/1",
  "https://",
  "data:text/html,x",
  `https://x/${"a".repeat(3_000)}`,
];

/** For each sender: a body with this title, user and URL, and the headers' name of the event. */
const senders = {
  gitlab: (title: string, user: string, url: string, number: number) =>
    fixture("gitlab/issue", (body: Payload) => {
      Object.assign(body.object_attributes, { action: "open", title, url, id: number, iid: number });
      body.user.username = user;
    }),
  gitea: (title: string, user: string, url: string, number: number) =>
    fixture("gitea/issues-event", (body: Payload) => {
      Object.assign(body.issue, { title, html_url: url, id: number, number });
      body.sender.login = user;
    }),
  bitbucket: (title: string, user: string, url: string, number: number) =>
    fixture("bitbucket/issue-created", (body: Payload) => {
      Object.assign(body.issue, { title, id: number, links: { html: { href: url } } });
      Object.assign(body.actor, { nickname: user, display_name: "" });
    }),
};
const events = { gitlab: "Issue Hook", gitea: "issues", bitbucket: "issue:created" };

test.each(["gitlab", "gitea", "bitbucket"] as const)("hostile text from %s is cleaned", async (sender) => {
  await using app = await openForgeApp("sqlite");
  await linkOn(app, "gitlab", "example.com", ["lab", "gitlabhq/gitlab-test"]);
  await linkOn(app, "gitea", "localhost:3000", ["tea", "example/example"]);
  await linkOn(app, "bitbucket", "bitbucket.org", ["bucket", "team_name/repo_name"]);
  let number = 0;
  const send = async (title: string, user = "zoe", url = "") => {
    const body = await senders[sender](title, user, url, ++number);
    expect([title, await deliverTo(app, sender, body, { event: events[sender] })]).toEqual([title, added]);
    return (await feedOf(app)).at(-1);
  };
  for (const [title, cleaned] of titles)
    expect((await send(title))?.summary).toBe(`Issue #${number} opened: ${cleaned}`);
  for (const [name, actor] of names) expect((await send("x", name))?.actor).toBe(actor);
  for (const url of urls) expect([url, (await send("x", "zoe", url))?.url]).toEqual([url, null]);
});
