import { z } from "zod";
import { defineTool, type Tool } from "../../src/contract/tool.ts";

/** Five servers as they are found: each with its own things, verbs and way of writing. */
const servers: Readonly<
  Record<string, { readonly things: readonly string[]; readonly verbs: Readonly<Record<string, string>> }>
> = {
  github: {
    things: "issue,pull request,branch,release,workflow run,comment,label,milestone,repository,commit".split(","),
    verbs: {
      list: "Lists every %s of a repository, newest first, page by page.",
      get: "Gets one %s with all of its details.",
      create: "Creates a new %s in a repository.",
      update: "Changes fields of an existing %s.",
      delete: "Deletes a %s for good.",
      search: "Searches each %s across repositories by words and qualifiers.",
    },
  },
  slack: {
    things: "message,channel,user,reaction,file,reminder,thread,bookmark,emoji,workspace".split(","),
    verbs: {
      list: "Lists every %s that the bot can see.",
      fetch: "Fetches one %s by its id.",
      post: "Posts a %s on behalf of the bot.",
      edit: "Edits a %s that was posted before.",
      remove: "Removes a %s.",
      find: "Finds a %s by text.",
    },
  },
  database: {
    things: "table,view,index,schema,row,column,function,trigger,role,backup".split(","),
    verbs: {
      describe: "Describes a %s of the PostgreSQL database: definition, size and statistics.",
      query: "Runs a read-only SQL query on a %s.",
      insert: "Inserts or adds a %s.",
      alter: "Alters a %s in place.",
      drop: "Drops a %s from the database.",
      explain: "Explains how the planner treats a %s.",
    },
  },
  calendar: {
    things: "event,invitation,attendee,room,calendar,task,notification,time zone,working hour,holiday".split(","),
    verbs: {
      list: "Lists each %s between two dates.",
      read: "Reads one %s.",
      schedule: "Schedules a %s at a time that suits everybody.",
      move: "Moves a %s to another time or place.",
      cancel: "Cancels a %s and tells whoever is concerned.",
      check: "Checks whether a %s is free.",
    },
  },
  cloud: {
    things: "virtual machine,bucket,object,cluster,pod,secret,certificate,dns record,load balancer,invoice".split(","),
    verbs: {
      list: "Lists every %s of the project in a region.",
      inspect: "Inspects one %s and its state.",
      launch: "Launches or creates a %s.",
      scale: "Scales a %s up or down.",
      destroy: "Destroys a %s.",
      monitor: "Shows metrics and logs of a %s.",
    },
  },
};

export function catalogue(): readonly Tool[] {
  return Object.entries(servers).flatMap(([server, { things, verbs }]) =>
    things.flatMap((thing) =>
      Object.entries(verbs).map(([verb, description]) =>
        defineTool({
          name: `mcp__${server}__${verb}_${thing.replaceAll(" ", "_")}`,
          version: "1",
          description: description.replace("%s", thing),
          family: "other",
          risks: ["network"],
          defer: true,
          requiresWorkspace: false,
          input: z.strictObject({
            id: z.string().describe(`Which ${thing}`),
            fields: z.array(z.string()).describe(`What of the ${thing} is meant`),
            page: z.int().min(1).max(1000).describe("Page of the answer, from 1"),
            confirm: z.boolean().describe("Say true where something is changed"),
          }),
          run: async () => ({ ok: true, data: {} }),
        }),
      ),
    ),
  );
}

/** What people and models write when they need one of them, and the one that is meant. */
export const questions: readonly (readonly [string, string])[] = [
  ["open a new issue about the crash", "mcp__github__create_issue"],
  ["show me the pull requests", "mcp__github__list_pull_request"],
  ["delete the old branch", "mcp__github__delete_branch"],
  ["get details of a release", "mcp__github__get_release"],
  ["search commits by words", "mcp__github__search_commit"],
  ["change the milestone", "mcp__github__update_milestone"],
  ["add a label to the repository", "mcp__github__create_label"],
  ["which workflow runs failed", "mcp__github__list_workflow_run"],
  ["comment on a pull request", "mcp__github__create_comment"],
  ["find repositories about parsers", "mcp__github__search_repository"],
  ["send a slack message to the team", "mcp__slack__post_message"],
  ["list the channels", "mcp__slack__list_channel"],
  ["who is this slack user", "mcp__slack__fetch_user"],
  ["edit my last message", "mcp__slack__edit_message"],
  ["remove the reaction", "mcp__slack__remove_reaction"],
  ["set a reminder in slack", "mcp__slack__post_reminder"],
  ["find a file by its text", "mcp__slack__find_file"],
  ["reply in the thread", "mcp__slack__post_thread"],
  ["what custom emoji are there", "mcp__slack__list_emoji"],
  ["delete the bookmark in the channel", "mcp__slack__remove_bookmark"],
  ["what columns does the table have", "mcp__database__describe_table"],
  ["run a sql query on the rows", "mcp__database__query_row"],
  ["add an index to the database", "mcp__database__insert_index"],
  ["drop the view", "mcp__database__drop_view"],
  ["how does the planner use this index", "mcp__database__explain_index"],
  ["alter a column", "mcp__database__alter_column"],
  ["insert a row", "mcp__database__insert_row"],
  ["describe the trigger", "mcp__database__describe_trigger"],
  ["remove the database role", "mcp__database__drop_role"],
  ["statistics of a postgres schema", "mcp__database__describe_schema"],
  ["schedule a meeting event", "mcp__calendar__schedule_event"],
  ["is the room free", "mcp__calendar__check_room"],
  ["cancel the invitation", "mcp__calendar__cancel_invitation"],
  ["move the event to friday", "mcp__calendar__move_event"],
  ["which holidays are in may", "mcp__calendar__list_holiday"],
  ["list my tasks between two dates", "mcp__calendar__list_task"],
  ["read the working hours", "mcp__calendar__read_working_hour"],
  ["check whether an attendee is free", "mcp__calendar__check_attendee"],
  ["change the time zone", "mcp__calendar__move_time_zone"],
  ["cancel a calendar notification", "mcp__calendar__cancel_notification"],
  ["launch a virtual machine", "mcp__cloud__launch_virtual_machine"],
  ["scale the cluster up", "mcp__cloud__scale_cluster"],
  ["logs of a pod", "mcp__cloud__monitor_pod"],
  ["list buckets", "mcp__cloud__list_bucket"],
  ["destroy the load balancer", "mcp__cloud__destroy_load_balancer"],
  ["create a dns record", "mcp__cloud__launch_dns_record"],
  ["when does the certificate expire", "mcp__cloud__inspect_certificate"],
  ["show the invoices of the project", "mcp__cloud__list_invoice"],
  ["metrics of the virtual machines", "mcp__cloud__monitor_virtual_machine"],
  ["inspect the secret", "mcp__cloud__inspect_secret"],
];
