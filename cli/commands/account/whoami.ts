/** `svc whoami`: the server or database that commands use, and the token or user. */
import { existsSync } from "node:fs";
import { defineCommand } from "citty";
import { apiFlags, openRemote } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { actorFrom, printLine } from "../../command.ts";
import { databaseFile, databaseName, type ServerTarget, serverTarget } from "../../login/target.ts";
import { configured } from "../../open.ts";

export default defineCommand({
  args: { ...apiFlags },
  async run({ args }) {
    const target = serverTarget(args);
    if (!target) {
      const { databaseUrl } = configured({ SVC_DATA_DIR: args["data-dir"] });
      const file = databaseFile(databaseUrl);
      const user = { database: databaseName(databaseUrl), user: actorFrom(undefined) };
      return printLine(
        args.json ? JSON.stringify(user) : localText(user, file !== null && !existsSync(file)),
      );
    }
    const token = await unwrap(openRemote(target).api.GET("/token"));
    const { url: server, source, tokenSource: token_source } = target;
    return printLine(
      args.json ? JSON.stringify({ server, source, token_source, token }) : remoteText(target, token),
    );
  },
});

const line = (name: string, value: string): string => `${name.padEnd(9)} ${value}`;

const localText = ({ database, user }: { database: string; user: string }, isMissing: boolean): string =>
  [
    line("Database", isMissing ? `${database} (does not exist yet)` : database),
    line("User", `${user}, with every scope`),
  ].join("\n");

const sourceNames = {
  "--server": "--server",
  SVC_URL: "SVC_URL",
  SVC_TOKEN: "SVC_TOKEN",
  connect: "svc connect",
  login: "svc login",
};

function remoteText({ url, source, tokenSource }: ServerTarget, token: Schemas["Token"]): string {
  return [
    line("Server", `${url} (${sourceNames[source]})`),
    line("Token", `${token.name} (${sourceNames[tokenSource ?? "SVC_TOKEN"]})`),
    line("Scopes", token.scopes.join(", ")),
    line("Projects", token.projects?.join(", ") ?? "all"),
    line("Expires", token.expires_at ?? "never"),
  ].join("\n");
}
