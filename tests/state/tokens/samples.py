"""A small corpus of our own, and generated texts of the kinds that estimators get wrong."""

import base64
import json
from random import Random
from uuid import UUID

PROSE = {
    "report": (
        "We looked at the failing deployment on Tuesday morning and found that the cache had never been warmed after the "
        "restart. The first requests went straight to the database, which was already busy with the nightly export, and "
        "so the health check gave up before a single page had been served. Nobody had changed the timeout since the "
        "service was written, when the whole catalogue still fitted into memory."
    ),
    "story": (
        "The old man walked down to the harbour every evening, whatever the weather was like, and sat on the same wooden "
        "bench until the last boat had come in. He said that he was counting them. Some of the children believed that he "
        "was waiting for somebody, and others that he had simply forgotten how to stay at home when the light was going."
    ),
    "advice": (
        "You should read the whole file before you change anything in it, because the part that looks wrong is often there "
        "for a reason that is explained further down. If you still think that it is a mistake, write a small test that "
        "fails, make the change, and run all of the other tests again before you ask someone to look at your work."
    ),
}

SOURCES = {
    "python": '''def merge(left, right):
    """Merge two sorted lists into one sorted list."""
    out, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i]); i += 1
        else:
            out.append(right[j]); j += 1
    return out + left[i:] + right[j:]
''',
    "typescript": """export async function load<T>(url: string, { retries = 3 }: Options = {}): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    if (response.ok) return (await response.json()) as T;
    if (attempt >= retries) throw new HttpError(response.status, `GET ${url} failed`);
  }
}
""",
    "diff": """--- a/src/server/router.go
+++ b/src/server/router.go
@@ -41,7 +41,9 @@ func (r *Router) Handle(w http.ResponseWriter, req *http.Request) {
-\tif route == nil {
+\tif route == nil || route.Handler == nil {
+\t\tmetrics.NotFound.Inc()
 \t\thttp.NotFound(w, req)
 \t\treturn
 \t}
""",
    "log": """2026-03-01T08:15:42.113Z ERROR [worker-7] job 9f8e2c1a failed after 3 attempts: connection reset by peer (10.0.12.7:5432)
2026-03-01T08:15:42.118Z WARN  [pool] 2 of 16 connections are stale; evicting
Traceback (most recent call last):
  File "/srv/app/jobs/export.py", line 214, in run
    rows = self.session.execute(query, {"since": since}).fetchall()
sqlalchemy.exc.OperationalError: (psycopg.OperationalError) server closed the connection unexpectedly
""",
    "chinese": "我们需要在这个函数里加上错误处理，否则用户输入无效数据的时候程序会崩溃。请先检查配置文件，然后重新启动服务器，最后看一下日志里还有没有新的报错信息。",
    "traditional": "請先檢查設定檔，然後重新啟動伺服器，最後看一下記錄裡還有沒有新的錯誤訊息。如果問題仍然存在，請聯絡系統管理員並附上完整的輸出。",
    "japanese": "設定ファイルを確認してから、サーバーを再起動してください。エラーがまだ表示される場合は、ログの内容をこのチケットに貼り付けてください。",
    "korean": "설정 파일을 먼저 확인한 다음 서버를 다시 시작해 주세요. 오류가 계속 나타나면 로그 내용을 이 문서에 붙여 넣어 주시기 바랍니다.",
    "russian": "Сначала проверьте файл настроек, затем перезапустите сервер. Если ошибка повторится, приложите к заявке полный журнал работы программы.",
    "arabic": "تحقق أولا من ملف الإعدادات ثم أعد تشغيل الخادم. إذا استمر ظهور الخطأ فأرفق السجل الكامل مع وصف قصير للمشكلة.",
    "hindi": "पहले सेटिंग फ़ाइल की जाँच करें और फिर सर्वर को दोबारा शुरू करें। यदि त्रुटि बनी रहती है तो पूरा लॉग भेजें।",
    "german": "Bitte prüfen Sie zuerst die Konfigurationsdatei und starten Sie danach den Server neu. Tritt der Fehler weiterhin auf, hängen Sie das vollständige Protokoll an.",
    "vietnamese": "Trước tiên hãy kiểm tra tệp cấu hình rồi khởi động lại máy chủ. Nếu lỗi vẫn xuất hiện, vui lòng gửi toàn bộ nhật ký.",
    "turkish": "Önce yapılandırma dosyasını denetleyin, ardından sunucuyu yeniden başlatın. Hata sürerse günlüğün tamamını ekleyin.",
    "emoji": "Deploy is green ✅ and everyone is happy 🎉🎉 – but watch the disk ⚠️ 💾 before the weekend 🚀🙏",
}

ALPHABETS = {
    "hex": "0123456789abcdef",
    "digits": "0123456789",
    "base64": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "cjk": "".join(map(chr, range(0x4E00, 0x9FA6))),
    "kana": "".join(map(chr, [*range(0x3041, 0x3097), *range(0x30A1, 0x30FB)])),
    "hangul": "".join(map(chr, range(0xAC00, 0xD7A4))),
    "cyrillic": "".join(map(chr, range(0x410, 0x450))),
    "arabic": "".join(map(chr, range(0x621, 0x64B))),
    "greek": "".join(map(chr, range(0x391, 0x3CA))),
    "hebrew": "".join(map(chr, range(0x5D0, 0x5EB))),
    "thai": "".join(map(chr, range(0xE01, 0xE3B))),
    "emoji": "".join(map(chr, [*range(0x1F300, 0x1F650), *range(0x1F900, 0x1FA00)])),
    "boxes": "".join(map(chr, range(0x2500, 0x2580))),
    "punctuation": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "printable": "".join(map(chr, range(32, 127))),
}


def generated(seed: int) -> dict[str, str]:
    """Give one random text of each kind, some thousand characters long."""
    random = Random(seed)
    texts = {name: "".join(random.choices(alphabet, k=3000)) for name, alphabet in ALPHABETS.items()}
    texts |= {f"{name} words": _words(alphabet, random) for name, alphabet in ALPHABETS.items()}
    identifiers = [str(UUID(int=random.getrandbits(128), version=4)) for _ in range(60)]
    encoded = base64.b64encode(random.randbytes(3000)).decode()
    numbers = [[random.randint(0, 10**6), round(random.uniform(-90, 90), 6)] for _ in range(200)]
    rows = [
        {"id": each, "ok": random.random() < 0.5, "size": random.randint(0, 9999), "tags": None} for each in identifiers
    ]
    return texts | {
        "uuid": "\n".join(identifiers),
        "base64 lines": "\n".join(encoded[at : at + 76] for at in range(0, len(encoded), 76)),
        "json compact": json.dumps(rows, separators=(",", ":")),
        "json indented": json.dumps(rows, indent=2),
        "json in json": json.dumps(json.dumps(rows)),
        "json numbers": json.dumps(numbers, separators=(",", ":")),
        "json numbers indented": json.dumps(numbers, indent=2),
        "ansi": "".join(f"\x1b[{random.randint(30, 37)}mstep {at}\x1b[0m\n" for at in range(200)),
        "digit lines": "1\n" * 3000,
    }


def _words(alphabet: str, random: Random) -> str:
    return " ".join("".join(random.choices(alphabet, k=random.randint(2, 9))) for _ in range(500))
