/** The program and a mail server that wants TLS and a login. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { migratedDatabase, startServer, temporaryFolder } from "../../support/harness.ts";
import { programToken } from "../../support/program.ts";
import { openSmtpServer, type SmtpServer } from "../../support/servers/smtp-server.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let smtp: SmtpServer;
const file = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await temporaryFolder();
  const made = Bun.spawn(
    [
      ...["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=mail"],
      ...["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file("mail.key"), "-out", file("mail.crt")],
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  expect(await made.exited).toBe(0);
  smtp = await openSmtpServer({
    ...{ hideSTARTTLS: false, authOptional: false, authMethods: ["PLAIN", "LOGIN"] },
    ...{ key: await Bun.file(file("mail.key")).text(), cert: await Bun.file(file("mail.crt")).text() },
    onAuth({ username, password }, _session, callback) {
      if (username === "ana@example.com" && password === "p:ss/word") callback(null, { user: username });
      else callback(Object.assign(new Error("Wrong password"), { responseCode: 535 }));
    },
  });
});
afterAll(async () => {
  await smtp[Symbol.asyncDispose]();
  await folder.close();
});

/** Asks a server with this mail server for a digest. @returns the status and the text of its answer */
async function ask(user: string, env: Record<string, string>): Promise<[number, string]> {
  const database = await migratedDatabase("sqlite");
  const SVC_SMTP_URL = `smtp://${user}@127.0.0.1:${smtp.port}`;
  const server = await startServer(database, { SVC_SMTP_URL, ...env });
  try {
    const response = await fetch(`${server.origin}/api/v1/email-digests`, {
      method: "POST",
      headers: { authorization: `Bearer ${programToken}`, "content-type": "application/json" },
      body: JSON.stringify({ address: "ben@example.com", period: "daily" }),
    });
    return [response.status, await response.text()];
  } finally {
    await server.close();
    await database.close();
  }
}

const right = `${encodeURIComponent("ana@example.com")}:${encodeURIComponent("p:ss/word")}`;

describe("a mail server with TLS and a login", () => {
  test("gets mail over STARTTLS, from the user of the URL", async () => {
    const [status] = await ask(right, { NODE_EXTRA_CA_CERTS: file("mail.crt") });
    expect(status).toBe(201);
    expect(smtp.mails.splice(0)).toMatchObject([
      { to: ["ben@example.com"], isSecure: true, user: "ana@example.com" },
    ]);
  });

  test("gets nothing when its certificate is not trusted, or the password is wrong", async () => {
    const untrusted = await ask(right, {});
    expect([untrusted[0], untrusted[1]]).toEqual([503, expect.stringMatching(/certificate/i)]);
    const wrong = await ask("ana:wrong", { NODE_EXTRA_CA_CERTS: file("mail.crt") });
    expect([wrong[0], wrong[1]]).toEqual([503, expect.stringContaining("535")]);
    expect(smtp.mails).toEqual([]);
  });
});
