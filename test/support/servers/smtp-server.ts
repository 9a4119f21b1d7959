/** A real SMTP server, which parses what it gets and can be told to refuse it. */
import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface ReceivedMail {
  raw: string;
  parsed: ParsedMail;
  from: string;
  to: string[];
  /** Whether it came over TLS, and who logged in. */
  isSecure: boolean;
  user: string | undefined;
}

export interface SmtpServer extends AsyncDisposable {
  port: number;
  /** `smtp://127.0.0.1:<port>` */
  url: string;
  mails: ReceivedMail[];
  /** Answers each recipient with this error from now on; null: takes them. */
  refuse: { code: number; text: string } | null;
}

/** Opens a server that takes mails without TLS and login, unless `options` say otherwise. */
export async function openSmtpServer(options: SMTPServerOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const state: Pick<SmtpServer, "mails" | "refuse"> = { mails, refuse: null };
  const server = new SMTPServer({
    ...{ hideSTARTTLS: true, authOptional: true, disableReverseLookup: true },
    ...options,
    onRcptTo(_address, _session, callback) {
      if (!state.refuse) return callback();
      callback(Object.assign(new Error(state.refuse.text), { responseCode: state.refuse.code }));
    },
    onData(stream, session, callback) {
      void receive(stream as unknown as AsyncIterable<Uint8Array>).then(
        async (raw) => {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            ...{ raw, parsed: await simpleParser(raw), from: mailFrom === false ? "" : mailFrom.address },
            to: rcptTo.map(({ address }) => address),
            isSecure: session.secure,
            user: typeof session.user === "string" ? session.user : undefined,
          });
          callback();
        },
        (error) => callback(error),
      );
    },
  });
  server.on("error", () => {}); // of one connection; the client has it too
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(state, {
    ...{ port, url: `smtp://127.0.0.1:${port}` },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

async function receive(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
