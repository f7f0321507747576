/**
 * What long bodies have in common, the most frequent last: they are deflated as if it stood before them, which halves
 * what is left of them. It belongs to the layout of the files that say so: with one byte of it changed, none of them
 * could be read any more.
 */
export const rowDictionary = Buffer.from(
  [
    // What runs, and where.
    '"command":{"cwd":"","text":""},"executor":{"gauntlet":"0.1.0","kind":"builtin","pid":"lane":"exclusive",',
    '"sandbox":{"backend":"bubblewrap","enforces":true,"network":"none","readable":["/home/"],"writable":[]},',
    '"timeoutMs":600000,"tool":"bash","version":"1"},"tool":"grep","tool":"edit","tool":"write"',
    '"status":"failed","ok":false,"recovery":"',
    // What is sent to a model.
    String.raw`{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"{\"type\":\"call\",\"callId\":\"call_\",`,
    String.raw`\"tool\":\"bash\",\"input\":{\"command\":\"\"path\":\"src/\"}}],`,
    String.raw`\"by\":{\"id\":\"\",\"provider\":\"anthropic\"openai-compatible\"}}\n`,
    String.raw`{\"role\":\"tool\",\"results\":[{\"callId\":\"call_\",\"tool\":\"read\",\"ok\":true,\"text\":\"Lines 1- of of src/.`,
    String.raw`\\n<untrusted-output>\\n1\\t\\n</untrusted-output>\"}]}\n","bytes":1,"continues":"","hash":"","total":},`,
    '"tokens":{"estimate":1,"pressure":0.1},"turnId":"turn_01,"data":{"menuHash":"","modelInput":{"added":"',
    // What a call came to.
    ',"permission":{"decision":"allow","reason":"reads /","risk":"R1","source":"mode"},"phase":"execute",',
    '"retryable":false,"sandbox":{"backend":"bubblewrap","enforces":true,"used":false},"status":"ok",',
    '"summary":"Lines 1- of src/","title":"Read src/","tool":"read","user":{"text":"1',
    '","data":{"intentId":"int_01","invocationId":"inv_01","observation":{"artifacts":[],"auditId":"evt_01",',
    '"code":"ok","data":{"bom":false,"bytes":6,"cutLineCount":0,"encoding":"utf-8","endLine":1,',
    '"endsWithNewline":true,"eol":"lf","hash":"","path":"src/","selectedLineCount":1,"startLine":1,',
    '"totalLineCount":1,"truncated":false,"unchanged":false},"effects":{"declared":[{"op":"read",',
    '"path":{"kind":"file","resolved":"/","written":"src/"},"scope":"file"}],"happened":"done",',
    '"seen":[{"op":"read","target":"/"}]},"intentId":"int_01","invocationId":"inv_01",',
    '"metrics":{"durationMs":1,"endedAt":"2026-","outputBytes":1,"startedAt":"2026-"},',
    String.raw`"model":{"content":[{"format":"text","text":"1\t"trust":"tool_output_untrusted"}],"omittedBytes":0,`,
    '"truncated":false},"ok":true,"id":"evt_01{"at":"2026-',
  ].join(""),
);
