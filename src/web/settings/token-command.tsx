/** The form that fills in `svc token create`. Only the machine that holds the database creates tokens. */
import { allRoles, allScopes, roles } from "../../core/auth/scopes.ts";
import { isTokenName } from "../../core/auth/token.ts";
import type { AccessToken } from "../../core/auth/token-requests.ts";
import { Select } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import type { View } from "../view.ts";
import { Code } from "./code.tsx";

export const tokenCommandParameters = [
  "name",
  "role",
  "scopes",
  "project",
  "owner",
  "team",
  "expires",
  "revoked",
];

/** Flags after the name, in their order in the command. */
const flags = ["role", "scopes", "project", "owner", "team", "expires"] as const;
const ownScopes = "custom scopes";
const expiries = ["30d", "90d", "365d"];

interface FormProps {
  view: View;
  tokens: readonly AccessToken[];
}

export function CreateForm({ view: { url, ctx }, tokens }: FormProps) {
  const given = Object.fromEntries(
    ["name", ...flags].map((name) => [name, url.searchParams.getAll(name).join(",").trim()]),
  );
  const { role = "", name = "" } = given;
  const isFilled = name !== "";
  const problem = isFilled ? problemOf(given, tokens) : null;
  const people = [...new Set(tokens.flatMap(({ owner }) => owner ?? []))];
  return (
    <section id="create">
      <h2>Create a token</h2>
      <p class="soft">
        Fill this in to get the command, and run it on the machine that holds the database: tokens are created
        only there. It prints the token once.
      </p>
      <form method="get" action="/settings/tokens#create" class="filters token-fields">
        <label>
          Name{" "}
          <input name="name" required maxLength={63} value={name} placeholder="mara" autocomplete="off" />
        </label>
        <Select
          name="role"
          label="Role"
          value={role || (isFilled ? ownScopes : "reviewer")}
          options={[...allRoles, ownScopes]}
          hasAll={false}
        />
        <label>
          Expires{" "}
          <select name="expires">
            <option value="">never</option>
            {expiries.map((one) => (
              <option key={one} value={one} selected={one === given.expires}>
                in {Number.parseInt(one, 10)} days
              </option>
            ))}
          </select>
        </label>
        <label>
          Projects <input name="project" value={given.project} placeholder="all" />
        </label>
        <label>
          Owner{" "}
          <input
            name="owner"
            list="token-owners"
            value={given.owner}
            placeholder="person whose work it does"
          />
        </label>
        <datalist id="token-owners">
          {people.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <label>
          Team <input name="team" value={given.team} placeholder="that of the owner" />
        </label>
        <details class="scopes" open={role === ownScopes}>
          <summary>Roles and scopes</summary>
          <dl class="role-list">
            {allRoles.map((one) => (
              <div key={one}>
                <dt>{one}</dt>
                <dd>{roles[one].description}</dd>
              </div>
            ))}
          </dl>
          <fieldset>
            <legend>Custom scopes, in place of a role</legend>
            {allScopes.map((scope) => (
              <label key={scope} class="switch">
                <input
                  type="checkbox"
                  name="scopes"
                  value={scope}
                  checked={url.searchParams.getAll("scopes").includes(scope)}
                />
                {scope}
              </label>
            ))}
          </fieldset>
        </details>
        <button type="submit" class="primary">
          Show the command
        </button>
      </form>
      {problem !== null && <Notice text={problem} />}
      {isFilled && problem === null && (
        <div id="command">
          <Code text={commandOf(given, ctx.config.siteUrl)} />
        </div>
      )}
    </section>
  );
}

type Given = Record<string, string | undefined>;

const hasRole = ({ role }: Given): boolean => allRoles.some((one) => one === role);

function problemOf(given: Given, tokens: readonly AccessToken[]): string | null {
  const { name = "", scopes } = given;
  if (!isTokenName(name))
    return "A name has 1 to 63 of the characters a-z, 0-9, dot, underscore, and hyphen.";
  if (tokens.some((token) => token.name === name))
    return `The name "${name}" is taken. Names of tokens cannot be reused, even after a token is revoked.`;
  return hasRole(given) || scopes ? null : "Choose a role, or at least one scope.";
}

function commandOf(given: Given, siteUrl: string): string {
  const chosen = flags.filter((flag) => flag !== (hasRole(given) ? "scopes" : "role") && given[flag]);
  const words = ["svc token create", given.name, ...chosen.map((flag) => `--${flag} ${quoted(given[flag])}`)];
  const signIn = given.role === "reviewer" ? `\n# they sign in with it at ${siteUrl}/sign-in` : "";
  return words.join(" ") + signIn;
}

/** A word of a shell command. */
const quoted = (text = ""): string =>
  /^[\w.,:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
