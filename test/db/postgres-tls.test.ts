/**
 * TLS to Postgres: on, and checked, for every host that is not this machine, unless the URL says otherwise.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chown, copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { must, program, rowsOf, temporaryFolder } from "../support/harness.ts";

/** A name of this machine that does not say so, as far as a URL goes. */
const remoteHost = "0.0.0.0";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let postgres: Postgres;
beforeAll(async () => {
  folder = await temporaryFolder();
  postgres = await startPostgres({ durable: false });
  await makeAuthority("right");
  await makeAuthority("wrong");
  await makeCertificate("server", "right", `IP:${remoteHost}`);
  await turnTls("on");
});
afterAll(async () => {
  await postgres?.stop();
  await folder.close();
});

const file = (name: string) => join(folder.path, name);

async function openssl(...args: string[]): Promise<void> {
  const child = Bun.spawn(["openssl", ...args], { cwd: folder.path, stdio: ["ignore", "ignore", "pipe"] });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}

/** Of an elliptic curve: finding the primes of RSA takes a hundred times as long. */
const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
const newKey = (name: string) => [...curve, "-nodes", "-keyout", `${name}.key`];

const makeAuthority = (name: string) =>
  openssl("req", "-x509", ...newKey(name), "-out", `${name}.crt`, "-days", "30", "-subj", `/CN=${name}`);

async function makeCertificate(name: string, authority: string, subject: string): Promise<void> {
  await openssl("req", ...newKey(name), "-out", `${name}.csr`, "-subj", `/CN=${name}`);
  await Bun.write(file("extensions"), `subjectAltName=${subject}\n`);
  const signedBy = ["-CA", `${authority}.crt`, "-CAkey", `${authority}.key`, "-CAcreateserial"];
  await openssl(
    "x509",
    "-req",
    "-in",
    `${name}.csr`,
    ...signedBy,
    "-out",
    `${name}.crt`,
    "-days",
    "30",
    "-extfile",
    "extensions",
  );
}

async function turnTls(ssl: "on" | "off"): Promise<void> {
  const [row] = await rowsOf(postgres.url, "show data_directory");
  const data = must(row).data_directory as string;
  const { uid, gid } = await stat(data);
  for (const name of ["server.crt", "server.key"]) {
    await copyFile(file(name), join(data, name));
    await chown(join(data, name), uid, gid);
  }
  await Bun.spawn(["chmod", "600", join(data, "server.key")]).exited;
  await rowsOf(postgres.url, `alter system set ssl = ${ssl}`);
  await postgres.restart();
}

function urlOf(host: string, query = ""): string {
  const url = new URL(postgres.url);
  url.hostname = host;
  url.search = query;
  return url.href;
}

/** What `doctor` says of the database. */
async function database(url: string, env: Record<string, string> = {}) {
  const { output } = await program(["doctor", "--json"], {
    SVC_DATABASE_URL: url,
    SVC_ASSET_STORE: "none",
    SVC_PUBLIC_STORE: "none",
    ...env,
  });
  const findings = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { what: string; level: string; detail: string });
  const { level, detail } = must(findings.find(({ what }) => what === "database"));
  return { level, detail };
}

const refused = (reason: string) => ({ level: "error", detail: expect.stringContaining(reason) });

describe("a Postgres on another host", () => {
  test("is refused where its certificate is of an unknown authority", async () => {
    expect(await database(urlOf(remoteHost))).toEqual(refused("certificate"));
    expect(await database(urlOf(remoteHost, `sslrootcert=${file("wrong.crt")}`))).toEqual(
      refused("sslrootcert"),
    );
  });

  test.each([
    ["sslrootcert of the URL", () => [urlOf(remoteHost, `sslrootcert=${file("right.crt")}`), {}]],
    ["NODE_EXTRA_CA_CERTS", () => [urlOf(remoteHost), { NODE_EXTRA_CA_CERTS: file("right.crt") }]],
  ] as [string, () => [string, Record<string, string>]][])(
    "is accepted where %s names its authority, and doctor says so",
    async (_, given) => {
      expect(await database(...given())).toEqual({
        level: "ok",
        detail: expect.stringMatching(/^Postgres, TLS verify-full, migrated/),
      });
    },
  );

  test.each([
    ["is not there", () => file("nothing.crt")],
    ["has no certificate", () => file("server.key")],
  ])("is refused at once where the file of sslrootcert %s", async (_, path) => {
    const { code, errors } = await program(["project", "list"], {
      SVC_DATABASE_URL: urlOf(remoteHost, `sslrootcert=${path()}`),
    });
    expect([code, errors]).toEqual([
      1,
      expect.stringMatching(/^svc: .*cannot read the sslrootcert file.*\n$/),
    ]);
  });

  test("with an unknown sslmode is one line that names those there are", async () => {
    const { code, errors } = await program(["project", "list"], {
      SVC_DATABASE_URL: urlOf(remoteHost, "sslmode=full"),
    });
    expect([code, errors]).toEqual([1, expect.stringMatching(/^svc: SVC_DATABASE_URL: .*verify-full.*\n$/)]);
  });

  test("is refused where its certificate is of another host", async () => {
    await makeCertificate("server", "right", "DNS:db.example.com");
    await turnTls("on");
    expect(await database(urlOf(remoteHost, `sslrootcert=${file("right.crt")}`))).toEqual(refused("0.0.0.0"));
    expect(
      await database(urlOf(remoteHost, `sslmode=verify-ca&sslrootcert=${file("right.crt")}`)),
    ).toMatchObject({ level: "ok" });
    await makeCertificate("server", "right", `IP:${remoteHost}`);
    await turnTls("on");
  });

  test("is what the URL says otherwise, with a warning", async () => {
    expect(await database(urlOf(remoteHost, "sslmode=require"))).toEqual({
      level: "warning",
      detail: expect.stringContaining("sslmode=require"),
    });
    expect(await database(urlOf(remoteHost, "sslmode=disable"))).toEqual({
      level: "warning",
      detail: expect.stringContaining("sslmode=disable"),
    });
  });

  test("is checked whatever PGSSLMODE says, and where the host comes from PGHOST", async () => {
    expect(await database(urlOf(remoteHost), { PGSSLMODE: "disable" })).toEqual(refused("certificate"));
    const { username, password, port, pathname } = new URL(postgres.url);
    const url = `postgres://${pathname}?user=${username}&password=${password}&port=${port}`;
    expect(await database(url, { PGHOST: remoteHost })).toEqual(refused("certificate"));
  });

  test("that speaks no TLS is refused at once, in one line that says what to do", async () => {
    await turnTls("off");
    const { code, errors } = await program(["project", "list"], { SVC_DATABASE_URL: urlOf(remoteHost) });
    expect(code).toBe(1);
    expect(errors).toMatch(/^svc: .*does not offer TLS.*sslmode=disable.*\n$/);
    await turnTls("on");
  });
});

test("doctor warns where the environment turns the check of certificates off", async () => {
  const { output } = await program(["doctor", "--json"], {
    SVC_DATABASE_URL: urlOf("127.0.0.1"),
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  });
  expect(output).toContain("unset NODE_TLS_REJECT_UNAUTHORIZED");
});

test("a Postgres on this machine is spoken to in plain text, and doctor finds nothing wrong with it", async () => {
  expect(await database(urlOf("127.0.0.1"))).toEqual({
    level: "ok",
    detail: expect.stringMatching(/^Postgres, plain text on this machine, migrated/),
  });
  expect(await database(urlOf("localhost", "sslmode=require"))).toMatchObject({
    level: "ok",
    detail: expect.stringContaining("TLS require"),
  });
});
