/** @jsxImportSource preact */
/** The API guide and reference, made from the table of operations. */
import type { TSchema } from "@sinclair/typebox";
import { scopes } from "../auth/scopes.ts";
import type { Config } from "../config.ts";
import { paths } from "../info.ts";
import { httpOperations } from "../operations/index.ts";
import type { HttpFacts, Operation } from "../operations/operation.ts";
import { statuses } from "../problem.ts";
import { Code } from "./methodology.tsx";
import type { Page, View } from "./view.ts";

export const apiPage = ({ ctx: { config } }: View): Page => ({ title: "API", place: "docs", body: <Docs config={config} /> });

function Docs({ config }: { config: Config }) {
  const base = config.siteUrl + paths.api;
  return (
    <article class="reference">
      <h1>svc API</h1>
      <p>
        The base is <code>{base}</code>. Bodies are JSON in UTF-8, times are RFC 3339 with microseconds, and the whole interface is also an{" "}
        <a href={paths.openapi}>OpenAPI 3.1 document</a>.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0}>{`curl -H "Authorization: Bearer $SVC_TOKEN" "${base}/feed?limit=5"`}</pre>
      <h2 id="authentication">Authentication</h2>
      <p>
        The operator mints tokens on the machine that holds the database: <code>svc token create ci --scopes feed:read,feed:write</code>.
        Send one as <code>Authorization: Bearer</code>; it is never read from an address or a cookie.{" "}
        {config.publicRead
          ? "This deployment lets everybody read the feed without one."
          : "Without one, only the description of the service can be read."}
      </p>
      <table>
        <thead>
          <tr>
            <th>Scope</th>
            <th>Grants</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(scopes).map(([scope, grants]) => (
            <tr key={scope}>
              <td>
                <code>{scope}</code>
              </td>
              <td>{grants}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2 id="operations">Operations</h2>
      {httpOperations.map((op) => (
        <Section key={op.id} op={op} config={config} />
      ))}
      <h2 id="limits">Limits</h2>
      <p>
        {config.rateLimit
          ? `A client, which is a token or else an address, may make ${config.rateLimit.quota} requests in ${config.rateLimit.seconds} seconds. Every answer says what is left in RateLimit and RateLimit-Policy.`
          : "This deployment does not limit the rate."}{" "}
        A page has at most 200 entries, a JSON body 1 MiB (a batch of events 4 MiB) and 32 levels.
      </p>
      <h2 id="errors">Errors</h2>
      <p>
        Every error is <code>application/problem+json</code> (RFC 9457). Its <code>type</code> is the address of this section,{" "}
        <code>title</code> the status in words, and <code>detail</code> says what to do.
      </p>
      <table>
        <thead>
          <tr>
            <th>Status</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(statuses).map(([status, [title, when]]) => (
            <tr key={status}>
              <td>
                {status} {title}
              </td>
              <td>{when}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  );
}

function Section({ op, config }: { op: Operation & { http: HttpFacts }; config: Config }) {
  const fields = Object.entries(op.input.properties);
  return (
    <section>
      <h3 id={op.id}>
        <code>
          {op.http.method} {op.http.path}
        </code>{" "}
        {op.summary}
      </h3>
      <p>
        <Code text={op.description} />
      </p>
      <p>{op.scope === "public" ? "Always public." : <Code text={`Scope \`${op.scope}\`.`} />}</p>
      {fields.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Field</th>
              <th>Type</th>
              <th>Meaning</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(([name, field]) => (
              <tr key={name}>
                <td>
                  <code>{op.http.headers?.[name] ?? name}</code>
                  {op.input.required?.includes(name) ? " (required)" : ""}
                </td>
                <td>{typeOf(field, config)}</td>
                <td>
                  <Code text={field.description ?? field.anyOf?.[0]?.description ?? ""} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function typeOf(schema: TSchema, config: Config): string {
  if (schema.enum) return schema.enum.join(", ");
  if (schema["x-configured"] === "lanes") return config.lanes.join(", ");
  if (schema.type === "integer" && schema.maximum !== undefined)
    return `integer, ${schema.minimum ?? 0} to ${schema.maximum}${schema.default === undefined ? "" : `, default ${schema.default}`}`;
  if (schema.type === "array")
    return `list of ${schema.items?.$id ?? "values"}, ${schema.minItems ?? 0} to ${schema.maxItems ?? "any number"}`;
  return schema.format ?? schema.type ?? "value";
}
