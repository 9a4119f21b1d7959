#!/bin/sh
# Gives a hook of an agent to svc, and prints what svc adds to the session: by the program where it is
# installed, else over HTTP with the variables SVC_URL and SVC_TOKEN alone. Never fails the agent.
# Usage: svc-hook.sh AGENT [HOOK] < the JSON of the hook

agent=$1
hook=$2

if command -v svc >/dev/null 2>&1; then
  exec svc hook "$agent" ${hook:+"$hook"}
fi
url=${SVC_URL:-$CLAUDE_PLUGIN_OPTION_URL}
token=${SVC_TOKEN:-$CLAUDE_PLUGIN_OPTION_TOKEN}
if [ -z "$url" ] || [ -z "$token" ] || ! command -v curl >/dev/null 2>&1; then
  exit 0
fi

# Only what names the session and its end: prompts, and what tools read, stay on this machine. Inputs and
# outputs of tools, which can have fields of the same names, come last in the JSON.
fields='hook_event_name|session_id|sessionId|conversation_id|source|model|reason|error|notification_type|agent_id|agent_type'
input=$(tr -d '\n' | sed -E 's/"(tool_input|tool_response|details)" ?:.*//')
body="{$(printf %s "$input" | grep -oE "\"($fields)\" ?: ?\"[^\"\\\\]*\"" | paste -sd , -)}"

# The folder of the session, which need not be that of the hook; it stays here.
folder=$(printf %s "$input" | sed -nE 's/.*"cwd" ?: ?"([^"\\]+)".*/\1/p')
cd "${folder:-.}" 2>/dev/null

# A user and a password in the URL of the repository stay here, too.
repository=$(git remote get-url origin 2>/dev/null | sed 's#//[^/@]*@#//#')
branch=$(git branch --show-current 2>/dev/null)
email=$(git config user.email 2>/dev/null)

# The token is not in the arguments, which other users of the machine can list.
send() {
  printf 'header = "Authorization: Bearer %s"\n' "$token" |
    curl -fsS -K - --connect-timeout "$1" --max-time "$1" -H 'Content-Type: application/json' \
      -H "Svc-Repository: $repository" -H "Svc-Branch: $branch" -H "Svc-Email: $email" \
      -H "Svc-Task: $SVC_TASK" \
      --data-raw "$body" "${url%/}/api/hooks/agents/$agent?hook=$hook" 2>/dev/null
}

# Only a start waits for its answer, and an end for its delivery: the agent may stop the machine after it.
case "$hook$body" in
*[sS]ession[sS]tart*) send 2.5 ;;
*[sS]ession[eE]nd* | *StopFailure*) send 1.2 >/dev/null ;;
*ToolUse* | *BeforeTool*) ;; # checks need the program
*)
  # An agent waits until nothing holds the outputs of its hook. A redirection of `send` alone keeps copies.
  exec >/dev/null 2>&1
  send 5 &
  ;;
esac
exit 0
