/** Sends mail over SMTP. */
import type { Config } from "../../core/config.ts";
import { badRequest, notImplemented, unavailable } from "../../core/problem.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Unique and the same for each attempt, so that a mail server can drop a repetition. */
  messageId: string;
  headers?: Record<string, string>;
}

/** The mail server did not take a mail. */
export class MailError extends Error {
  override name = "MailError";
  constructor(
    message: string,
    /** It refuses this mail for good (RFC 5321, 4.2.1: 5yz); trying again does not help. */
    readonly isPermanent: boolean,
  ) {
    super(message);
  }
}

type MailConfig = Pick<Config, "smtpUrl" | "mailFrom" | "siteUrl">;

/** Each step of a connection: together far below the ten minutes of a claim. */
const stepTimeoutMs = 30_000;
const answerMax = 300;

/** @throws {Problem} 501 if no mail server is configured */
export function requireMail({ smtpUrl }: Pick<Config, "smtpUrl">): void {
  if (!smtpUrl) throw notImplemented("This deployment sends no email. Set SVC_SMTP_URL.");
}

/** A problem that says why the mail server did not take a mail; other errors as they are. */
export function mailProblem(error: unknown): unknown {
  if (!(error instanceof MailError)) return error;
  return error.isPermanent
    ? badRequest(`The mail server refused this mail: ${error.message}`)
    : unavailable(`The mail server did not take the mail. Try again later: ${error.message}`, error);
}

/** Sends one mail to one address. @throws {MailError} that says what the mail server answered */
export async function sendMail(config: MailConfig, mail: Mail): Promise<void> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport(optionsOf(config));
  try {
    await transport.sendMail({
      from: config.mailFrom,
      to: mail.to,
      envelope: { from: senderOf(config), to: [mail.to] },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      messageId: mail.messageId,
      // RFC 3834: prevents automatic replies.
      headers: { ...mail.headers, "Auto-Submitted": "auto-generated" },
      textEncoding: encodingOf(mail.text),
    });
  } catch (error) {
    throw toMailError(error as Error & { code?: string; responseCode?: number; response?: string });
  } finally {
    transport.close();
  }
}

/** The shorter one: quoted-printable takes three bytes for each that is not ASCII, base64 four for three. */
const encodingOf = (text: string): "base64" | "quoted-printable" =>
  Buffer.byteLength(text) > 1.1 * text.length ? "base64" : "quoted-printable";

/** The address of `svc <svc@example.com>`. */
const senderOf = ({ mailFrom }: Pick<Config, "mailFrom">): string =>
  /<([^<>]+)>$/.exec(mailFrom)?.[1] ?? mailFrom;

function optionsOf({ smtpUrl, siteUrl }: MailConfig) {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  return {
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    ...(username && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    // Credentials never leave this machine unencrypted, whatever the server offers.
    requireTLS: !secure && username !== "" && !isLoopback,
    name: new URL(siteUrl).hostname,
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A login that fails is a fault of the configuration, not of the address. */
function toMailError(error: Error & { code?: string; responseCode?: number; response?: string }): MailError {
  const { code, responseCode = 0, response } = error;
  const isPermanent = responseCode >= 500 && responseCode < 600 && code !== "EAUTH";
  const answer = (response ?? error.message).replace(/\s+/g, " ").slice(0, answerMax);
  return new MailError(answer, isPermanent);
}
