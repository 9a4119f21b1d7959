/** The files for operators in cli/deploy: those who read them understand them. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import dashboard from "../../cli/deploy/grafana.json";
import { docPages } from "../../src/api/docs/page.ts";
import { openMetrics } from "../../src/core/metrics.ts";
import { must, openApp, temporaryFolder } from "../support/harness.ts";
import { repositoryRoot } from "../support/repository.ts";
import { hasCaddy } from "../support/servers/caddy.ts";
import { hasHaproxy } from "../support/servers/haproxy.ts";
import { hasNginx, nginxConfiguration, writeCertificate } from "../support/servers/nginx.ts";
import { freePort } from "../support/servers/proxy.ts";

const root = repositoryRoot;
const folder = join(root, "cli/deploy");

async function run(
  command: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; printed: string }> {
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, printed: output + errors };
}

describe("the dashboard", () => {
  const { text: _, ...families } = openMetrics();
  const existing = new Map(
    Object.values(families).map(({ name, type, labels }) => [
      name,
      { type, labels: [...labels] as string[] },
    ]),
  );
  const queries = dashboard.panels
    .flatMap((panel) => ("targets" in panel ? panel.targets : []))
    .map(({ expr }) => expr);
  /** Metric and label that a query speaks of; the metric without what a histogram puts behind it. */
  const spoken = queries.flatMap((query) =>
    [...query.matchAll(/\b((?:svc|process)_[a-z_]+)\{([^}]*)\}/g)].map(([, name = "", selector = ""]) => ({
      query,
      name: name.replace(/_bucket$/, ""),
      isBucket: name.endsWith("_bucket"),
      labels: [
        ...selector.matchAll(/(\w+)=~?"/g),
        ...[...query.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list = ""]) => [...list.matchAll(/(\w+)/g)]),
      ].map((match) => match[1] as string),
    })),
  );

  test("asks for metrics that there are, by labels that they have", () => {
    expect(spoken.length).toBeGreaterThanOrEqual(queries.length);
    for (const { query, name, isBucket, labels } of spoken) {
      const metric = existing.get(name);
      expect([query, metric?.type === "histogram"]).toEqual([query, isBucket]);
      const others = labels.filter(
        (label) => !["instance", ...(isBucket ? ["le"] : []), ...(metric?.labels ?? [])].includes(label),
      );
      expect([query, metric !== undefined, others]).toEqual([query, true, []]);
      expect([query, metric?.type === "counter" || isBucket]).toEqual([query, query.includes("rate(")]);
    }
  });

  test("shows every one of them", () => {
    const shown = new Set(spoken.map(({ name }) => name));
    expect([...existing.keys()].filter((name) => !shown.has(name))).toEqual([]);
  });

  test("has a place for each of its panels", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});

test("the page about deployments shows the files as they are", async () => {
  await using app = await openApp("sqlite");
  const page = must((await docPages(app.ctx)).find(({ name }) => name === "deploy")).markdown;
  for (const name of (await readdir(folder)).filter((name) => name !== "grafana.json"))
    expect(page).toContain(`\n${await Bun.file(join(folder, name)).text()}\`\`\``);
});

test.skipIf(!Bun.which("systemd-analyze"))(
  "systemd understands the unit, and finds little that it could do to the machine",
  async () => {
    await using place = await temporaryFolder();
    const unit = join(place.path, "svc.service");
    const text = await Bun.file(join(folder, "svc.service")).text();
    await Bun.write(unit, text.replace("/usr/local/bin/svc", "/bin/sh"));
    // A user without a login session has no runtime folder, and systemd looks for units of users there.
    const env = { XDG_RUNTIME_DIR: place.path };
    const verified = await run(["systemd-analyze", "--system", "verify", unit], env);
    expect(verified).toEqual({ code: 0, printed: "" });
    const { code, printed } = await run(
      ["systemd-analyze", "--system", "security", "--offline=yes", "--threshold=20", "--no-pager", unit],
      env,
    );
    expect([code, printed.split("\n").at(-2)]).toEqual([0, expect.stringMatching(/exposure level/)]);
  },
);

test.skipIf(!hasNginx)("nginx understands its file", async () => {
  await using place = await temporaryFolder();
  await writeCertificate(place.path);
  const configuration = await nginxConfiguration(place.path, {
    port: await freePort(), // it is bound, which only root may do with low ones
    upstreams: ["127.0.0.1:2", "127.0.0.1:3"],
  });
  const { code, printed } = await run(["nginx", "-t", "-q", "-p", place.path, "-c", configuration]);
  expect([code, printed]).toEqual([0, ""]);
});

test.skipIf(!hasCaddy)("Caddy understands its file", async () => {
  const { code, printed } = await run([
    "caddy",
    "validate",
    "--adapter",
    "caddyfile",
    "--config",
    join(folder, "Caddyfile"),
  ]);
  expect([code, printed]).toEqual([0, expect.stringContaining("Valid configuration")]);
});

test.skipIf(!hasHaproxy)("HAProxy understands its file", async () => {
  await using place = await temporaryFolder();
  await writeCertificate(place.path);
  const certificate = join(place.path, "both.pem");
  const textOf = (name: string) => Bun.file(join(place.path, name)).text();
  await Bun.write(certificate, (await textOf("site.pem")) + (await textOf("site.key")));
  const site = join(place.path, "haproxy.cfg");
  const text = (await Bun.file(join(folder, "haproxy.cfg")).text()).replace(/\/etc\/ssl\/\S+/, certificate);
  await Bun.write(site, text);
  const { code, printed } = await run(["haproxy", "-c", "-q", "-f", site]);
  expect([code, printed]).toEqual([0, ""]);
});
