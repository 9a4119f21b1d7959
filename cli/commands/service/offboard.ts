/** `svc offboard`: ends the access of someone who leaves, after a preview. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { OffboardingInput } from "../../../src/integrations/offboarding/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printLine, textFlag } from "../../command.ts";
import { requireAgreement, yesFlag } from "../../output/agree.ts";
import { note, type OutputArgs, reportChange } from "../../output/report.ts";
import { formatCount } from "../../output/table.ts";

export default defineCommand({
  args: {
    name: { type: "positional", required: true, description: "ID of a person, or the name of a token" },
    to: textFlag("Token that gets the webhooks, share links and review requests", "token"),
    ...yesFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { name, to } = checkFlags(OffboardingInput, args);
    await withApi(args, async ({ api, place }) => {
      const params = { path: { name } };
      const preview = await unwrap(api.GET("/offboarding/{name}", { params }));
      await requireAgreement(args, describe(preview, to), `Offboard "${name}" ${place}?`);
      const done = await unwrap(
        api.POST("/offboarding/{name}", { params, body: to === undefined ? {} : { to } }),
      );
      if (done.has_identity) note(args, `"${name}" signs in at an identity provider: end that there too.`);
      await reportChange(args, done, `Offboarded "${name}" ${place}.`);
      if (!args.json) await printSecrets(args, done);
    });
  },
});

/** A line for each kind of thing that ends or is handed over. */
function describe(found: Schemas["Offboarding"], to: string | undefined): string[] {
  const handed = (otherwise: string) => (to === undefined ? otherwise : `handed to ${to}`);
  const named = (list: { name: string }[]) => list.map((one) => escapeControls(one.name));
  const lines: [what: string, count: number, names: string[], fate: string][] = [
    ["tokens", found.tokens.length, found.tokens, "revoked"],
    ["sessions", found.sessions, [], "ended"],
    ["sign-in links", found.sign_in_links, [], "ended"],
    ["email digests", found.email_digests.length, named(found.email_digests), "removed"],
    ["share links", found.shares.length, named(found.shares), handed("revoked")],
    ["webhooks", found.webhooks.length, named(found.webhooks), handed("paused")],
    [
      "review requests",
      found.review_requests.length,
      named(found.review_requests),
      handed("asked of the others"),
    ],
  ];
  return lines.map(([what, count, names, fate]) => {
    const list = names.length > 0 ? `: ${names.join(", ")}` : "";
    return `${formatCount(count)} ${what}${count > 0 ? ` ${fate}` : ""}${list}`;
  });
}

/** A line for each webhook that was handed over. */
async function printSecrets(args: OutputArgs, { rotated }: Schemas["Offboarding"]): Promise<void> {
  const [first] = rotated;
  if (!first) return;
  const until = `${first.previous_until.slice(0, 16)}Z`;
  note(
    args,
    "Webhooks that were handed over have new secrets. Copy them now; they won't be shown again. " +
      `Until ${until}, requests are signed with the old ones too.`,
  );
  for (const { name, secret } of rotated) await printLine(escapeControls(`${name} ${secret}`));
}
