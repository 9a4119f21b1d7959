/** `svc demo`: a real service with a month of demo data, in a temporary folder that it deletes. */
import { defineCommand } from "citty";
import { roles } from "../../../src/core/auth/scopes.ts";
import { createSignInLink, linkMinutes } from "../../../src/core/auth/sign-in-link.ts";
import { variables } from "../../../src/core/config.ts";
import { paths } from "../../../src/core/info.ts";
import { createToken } from "../../../src/feed/tokens.ts";
import { actorFrom } from "../../command.ts";
import { addDemoData } from "../../demo/demo-data.ts";
import { createDemoFolder } from "../../demo/demo-folder.ts";
import { type OpenContext, openContext } from "../../open.ts";
import { runServer } from "../../server/http-server.ts";

export default defineCommand({
  args: {
    port: {
      type: "string",
      description: `Port; by default ${variables.SVC_PORT.defaultValue}, or a free one if that is in use`,
    },
  },
  async run({ args }) {
    // A signal while the data is added deletes the folder, too. Later the server stops first.
    for (const signal of signals) process.on(signal, exitNow);
    const folder = createDemoFolder();
    // Nothing of the environment: it may name a real database, a bucket, or a GitHub token.
    const ctx = await openContext({ SVC_DATA_DIR: folder, SVC_PORT: args.port }, { create: true });
    await addDemoData(ctx);
    await runServer(ctx, {
      allowsOtherPort: args.port === undefined,
      async announce(served) {
        for (const signal of signals) process.off(signal, exitNow);
        process.on("SIGHUP", exitNow);
        return startText(served, folder);
      },
    });
    process.exit(0);
  },
});

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const exitNow = (): never => process.exit(0);

async function startText(ctx: OpenContext, folder: string): Promise<string> {
  const { siteUrl } = ctx.config;
  const link = await createSignInLink(ctx, actorFrom(undefined));
  const { token } = await createToken(ctx, {
    name: "demo-agent",
    scopes: [...roles.agent.scopes],
    projects: null,
    expires_at: null,
  });
  return `svc demo is running at ${siteUrl}

Sign in (link works once, within ${linkMinutes} minutes):
  ${link}

What an agent reads before it starts. Reject something on the website, and run it again:
  svc brief harbor "draw the berth map" --data-dir ${folder}

Token for an agent (role agent):
  SVC_TOKEN=${token}

Connect the agent, for example Claude Code:
  claude mcp add --transport http svc-demo \\
    ${siteUrl}${paths.mcp} \\
    --header "Authorization: Bearer $SVC_TOKEN"

Call the API:
  curl -H "Authorization: Bearer $SVC_TOKEN" \\
    ${siteUrl}${paths.api}/projects

Press Ctrl-C to stop. svc then deletes ${folder}.
`;
}
