import { flags, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { type CommandReading, notUnderstood, type Place, type ProgramCall } from "./program-entry.ts";
import { readArguments } from "./read-arguments.ts";
import { isLiteral } from "./readings.ts";

const tool = {
  names: ["python3 -m json.tool"],
  flags: flags("", "sort-keys no-ensure-ascii json-lines compact tab no-indent"),
  values: text("--indent"),
  operands: {},
} as const;

/** `python3 -m json.tool in out`. `undefined` when it is something else, or when modules of the project come first. */
export function readJsonTool({ name, words }: ProgramCall, place: Place): CommandReading | undefined {
  const [flag, module, ...rest] = words;
  if (flag === undefined || module === undefined || !isLiteral(flag) || !isLiteral(module)) return undefined;
  if (flag.value !== "-m" || module.value !== "json.tool" || hasOwnModules(place)) return undefined;
  const call = readArguments(tool, `${name} -m json.tool`, rest);
  if ("why" in call) return notUnderstood(call.why);
  return readByRoles(call, { first: ["read", "write"] }, place);
}

/** With `-m` Python looks in the working directory before it looks among its own modules. */
function hasOwnModules({ view, cwd }: Place): boolean {
  if (view.entries === undefined) return true;
  return view.entries(cwd).some(({ name, kind }) => {
    const [module = ""] = name.split(".");
    // Modules come with parts of their own, such as _json.
    if (!standard.has(module) && !module.startsWith("_")) return false;
    if (kind === "directory")
      return view.entries?.(`${cwd}/${name}`).some((entry) => entry.name.startsWith("__init__"));
    return kind !== "file" || /\.(?:py|pyc|pyo|pyd|so)$/.test(name);
  });
}

/** Modules that come with Python. */
const standard: ReadonlySet<string> = new Set(
  `
  abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop
  base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code
  codecs codeop collections colorsys compileall compression concurrent configparser contextlib
  contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis
  distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch
  formatter fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip
  hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools
  json keyword lib2to3 linecache locale logging lzma macpath mailbox mailcap marshal math mimetypes
  mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers
  opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform
  plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data
  pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select
  selectors shelve shlex shutil signal site sitecustomize smtpd smtplib sndhdr socket socketserver
  spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct
  subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios
  textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty
  turtle turtledemo types typing unicodedata unittest urllib usercustomize uu uuid venv warnings wave
  weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`
    .trim()
    .split(/\s+/),
);
