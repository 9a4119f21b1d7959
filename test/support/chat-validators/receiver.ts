/**
 * A server that stands in for the chat services: it refuses what they refuse by their documented limits, with
 * their answers, and keeps what it took.
 */
import { discord } from "./discord.ts";
import { mattermost } from "./mattermost.ts";
import { ntfy } from "./ntfy.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { telegram } from "./telegram.ts";
import { type ChatRequest, Refusal, type Taken, type Validator } from "./validator.ts";

export const validators = { slack, discord, teams, mattermost, telegram, ntfy } satisfies Record<
  string,
  Validator
>;
export type ChatName = keyof typeof validators;
export const chatNames = Object.keys(validators) as ChatName[];

/** The path of a webhook of each service, in the shape that the service gives. */
const paths: Record<ChatName, string> = {
  slack: "/services/T0123/B0123/abcdef",
  discord: "/api/webhooks/123456/abc-def",
  teams: "/workflows/0a1b/triggers/manual/paths/invoke?api-version=2016-06-01&sig=abc",
  mattermost: "/hooks/abcdef",
  telegram: "/bot123:abc-def/sendMessage?chat_id=-100123",
  ntfy: "/my-topic",
};

export interface ChatReceiver extends Disposable {
  /** The URL of a webhook. */
  url(name: ChatName): string;
  /** What was accepted, in order. */
  taken: Taken[];
  /** Of every request. */
  headers: Headers[];
}

export function serveChatServices(): ChatReceiver {
  const taken: Taken[] = [];
  const headers: Headers[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      headers.push(request.headers);
      const url = new URL(request.url);
      const name = chatNames.find((one) => paths[one].split("?")[0] === url.pathname);
      if (!name) return new Response("no such webhook", { status: 404 });
      const received: ChatRequest = { url, headers: request.headers, body: await request.bytes() };
      try {
        const accepted = validators[name].check(received);
        taken.push(accepted);
        return validators[name].accepted();
      } catch (error) {
        if (error instanceof Refusal) return error.answer;
        throw error;
      }
    },
  });
  return {
    url: (name) => server.url.origin + paths[name],
    taken,
    headers,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
