"""Samples in many encodings: from real policies where the collection is there, and from sentences of our own.

A sample is a language, an encoding, its lines (30 or 3) and what they say. The letter tables were made from none of
these texts.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

LONG, SHORT = 30, 3
ENCODINGS = {
    "de": ("cp1252", "iso8859-15", "cp437", "cp850", "mac-roman", "cp273", "cp500"),
    "en": ("cp1252", "mac-roman", "cp037"),
    "es": ("cp1252", "cp850", "mac-roman", "cp1140"),
    "fr": ("cp1252", "iso8859-15", "cp850", "mac-roman", "cp500"),
    "it": ("cp1252", "cp850", "mac-roman"),
    "nl": ("cp1252", "cp850"),
    "pt": ("cp1252", "cp850", "mac-roman"),
    "pl": ("cp1250", "iso8859-2", "cp852", "mac-latin2"),
    "ru": ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic", "cp855"),
    "ja": ("cp932", "euc_jp", "iso2022_jp"),
    "zh": ("gb18030", "gbk", "hz"),
    "ar": ("cp1256", "iso8859-6"),
    "cs": ("cp1250", "iso8859-2", "cp852", "mac-latin2"),
    "el": ("cp1253", "iso8859-7", "cp737", "mac-greek"),
    "he": ("cp1255", "iso8859-8", "cp862"),
    "hu": ("cp1250", "iso8859-2", "cp852"),
    "ko": ("cp949", "euc_kr", "iso2022_kr"),
    "th": ("cp874", "tis-620"),
    "tr": ("cp1254", "iso8859-9", "cp857", "mac-turkish"),
    "tw": ("big5", "cp950"),
    "uk": ("cp1251", "koi8-u", "mac-cyrillic"),
}
UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7")
POLICIES = {
    "de": "de", "en": "en", "es": "es-ES", "fr": "fr", "it": "it", "ja": "ja", "nl": "nl", "pl": "pl", "pt": "pt-BR",
    "ru": "ru", "zh": "zh-CN",
}  # fmt: skip
OWN = {
    "ar": """
        يسري هذا العقد اعتبارا من تاريخ توقيعه من قبل الطرفين ويظل ساريا لمدة ثلاث سنوات.
        يلتزم المستأجر بدفع الأجرة في اليوم الأول من كل شهر دون أي تأخير أو خصم.
        لا يجوز لأي من الطرفين التنازل عن حقوقه إلا بموافقة كتابية مسبقة من الطرف الآخر.
        تخضع هذه الاتفاقية لقوانين البلاد وتختص محاكم العاصمة بالنظر في أي نزاع ينشأ عنها.
        إذا أخل أحد الأطراف بالتزاماته جاز للطرف الآخر إنهاء العقد بعد إنذاره كتابة.
        تبقى المعلومات السرية محمية حتى بعد انتهاء مدة الاتفاق لأي سبب كان.
        يتحمل البائع مسؤولية العيوب الخفية التي تظهر خلال سنة من تاريخ التسليم.
        حرر هذا العقد من نسختين أصليتين بيد كل طرف نسخة للعمل بموجبها.
    """,
    "cs": """
        Tato smlouva nabývá platnosti a účinnosti dnem podpisu oběma smluvními stranami.
        Nájemce je povinen platit nájemné vždy do pátého dne příslušného kalendářního měsíce.
        Žádná ze stran nesmí postoupit svá práva bez předchozího písemného souhlasu druhé strany.
        Veškeré spory budou rozhodovány příslušnými soudy České republiky podle českého práva.
        Poruší-li prodávající své povinnosti, může kupující od smlouvy odstoupit bez zbytečného odkladu.
        Důvěrné informace zůstávají chráněny i po skončení účinnosti této dohody.
        Smluvní pokuta činí půl procenta z dlužné částky za každý den prodlení.
        Změny a doplňky této smlouvy vyžadují formu písemných dodatků číslovaných vzestupně.
    """,
    "el": """
        Η παρούσα σύμβαση τίθεται σε ισχύ από την ημερομηνία υπογραφής της και από τα δύο μέρη.
        Ο μισθωτής υποχρεούται να καταβάλλει το μίσθωμα την πρώτη ημέρα κάθε μήνα.
        Κανένα μέρος δεν δικαιούται να εκχωρήσει τα δικαιώματά του χωρίς έγγραφη συναίνεση του άλλου.
        Για κάθε διαφορά αρμόδια είναι τα δικαστήρια των Αθηνών και εφαρμόζεται το ελληνικό δίκαιο.
        Σε περίπτωση παραβίασης των όρων, η σύμβαση μπορεί να καταγγελθεί αζημίως.
        Οι εμπιστευτικές πληροφορίες προστατεύονται και μετά τη λήξη της συμφωνίας.
        Ο πωλητής ευθύνεται για ελαττώματα που εμφανίζονται μέσα σε δύο έτη από την παράδοση.
        Κάθε τροποποίηση του παρόντος γίνεται αποκλειστικά εγγράφως.
    """,
    "he": """
        הסכם זה נכנס לתוקף ביום חתימתו על ידי שני הצדדים ויעמוד בתוקפו למשך שלוש שנים.
        השוכר ישלם את דמי השכירות ביום הראשון של כל חודש ללא כל ניכוי או עיכוב.
        אף צד אינו רשאי להעביר את זכויותיו לפי הסכם זה ללא הסכמת הצד השני בכתב ומראש.
        על הסכם זה יחולו דיני מדינת ישראל וסמכות השיפוט הבלעדית נתונה לבתי המשפט בתל אביב.
        הפר אחד הצדדים את התחייבויותיו הפרה יסודית, רשאי הצד הנפגע לבטל את ההסכם.
        המידע הסודי יישמר בסודיות גם לאחר סיומו של ההסכם מכל סיבה שהיא.
        המוכר אחראי לכל פגם נסתר שיתגלה בתוך שנה ממועד המסירה לקונה.
        כל שינוי בהסכם זה ייעשה בכתב ובחתימת שני הצדדים בלבד.
    """,
    "hu": """
        Jelen szerződés a felek általi aláírás napján lép hatályba, és három évig érvényes.
        A bérlő köteles a bérleti díjat minden hónap első napján késedelem nélkül megfizetni.
        Egyik fél sem ruházhatja át jogait a másik fél előzetes írásbeli hozzájárulása nélkül.
        A felek közötti jogvitákra a magyar jog az irányadó, és a budapesti bíróságok illetékesek.
        Súlyos szerződésszegés esetén a sértett fél azonnali hatállyal felmondhatja a szerződést.
        A bizalmas információkat a megállapodás megszűnése után is titokban kell tartani.
        Az eladó szavatosságot vállal a rejtett hibákért az átadástól számított két éven belül.
        A szerződés módosítása csak írásban, mindkét fél aláírásával érvényes.
    """,
    "ko": """
        본 계약은 양 당사자가 서명한 날부터 효력이 발생하며 삼 년 동안 유효하다.
        임차인은 매월 첫째 날에 임대료를 지체 없이 지급하여야 한다.
        어느 당사자도 상대방의 사전 서면 동의 없이 권리를 양도할 수 없다.
        본 계약과 관련된 분쟁은 대한민국 법률에 따라 서울중앙지방법원에서 해결한다.
        당사자가 의무를 위반한 경우 상대방은 서면 통지로 계약을 해지할 수 있다.
        비밀 정보는 계약이 종료된 후에도 계속 보호되어야 한다.
        매도인은 인도일로부터 일 년 이내에 발견된 숨은 하자에 대하여 책임을 진다.
        본 계약의 변경은 양 당사자의 서면 합의에 의해서만 가능하다.
    """,
    "th": """
        สัญญานี้มีผลบังคับใช้ตั้งแต่วันที่คู่สัญญาทั้งสองฝ่ายลงนามและมีกำหนดเวลาสามปี
        ผู้เช่าต้องชำระค่าเช่าให้แก่ผู้ให้เช่าภายในวันที่หนึ่งของทุกเดือนโดยไม่ชักช้า
        คู่สัญญาฝ่ายใดจะโอนสิทธิตามสัญญานี้โดยไม่ได้รับความยินยอมเป็นหนังสือจากอีกฝ่ายหนึ่งไม่ได้
        ข้อพิพาทใดที่เกิดขึ้นจากสัญญานี้ให้อยู่ในอำนาจของศาลไทยและใช้กฎหมายไทยบังคับ
        หากคู่สัญญาฝ่ายใดผิดสัญญาอีกฝ่ายหนึ่งมีสิทธิบอกเลิกสัญญาและเรียกค่าเสียหายได้
        ข้อมูลที่เป็นความลับต้องได้รับการรักษาไว้แม้สัญญาจะสิ้นสุดลงแล้ว
        ผู้ขายต้องรับผิดในความชำรุดบกพร่องที่พบภายในหนึ่งปีนับแต่วันส่งมอบ
        การแก้ไขเพิ่มเติมสัญญานี้ต้องทำเป็นหนังสือและลงลายมือชื่อของทั้งสองฝ่าย
    """,
    "tr": """
        Bu sözleşme, her iki tarafın imzaladığı tarihte yürürlüğe girer ve üç yıl geçerlidir.
        Kiracı, kira bedelini her ayın birinci günü gecikmeksizin ödemekle yükümlüdür.
        Taraflardan hiçbiri, diğerinin önceden yazılı onayı olmadan haklarını devredemez.
        İşbu sözleşmeden doğan uyuşmazlıklarda İstanbul mahkemeleri ve icra daireleri yetkilidir.
        Yükümlülüklerin ağır ihlali halinde diğer taraf sözleşmeyi derhal feshedebilir.
        Gizli bilgiler, anlaşmanın sona ermesinden sonra da korunmaya devam eder.
        Satıcı, teslim tarihinden itibaren iki yıl içinde ortaya çıkan gizli ayıplardan sorumludur.
        Sözleşmede yapılacak değişiklikler ancak yazılı şekilde ve imza ile geçerli olur.
    """,
    "tw": """
        本合約自雙方簽字之日起生效，有效期間為三年，期滿得經雙方書面同意續約。
        承租人應於每月一日前給付租金，不得以任何理由拖延或扣減。
        任何一方未經他方事前書面同意，不得將本合約之權利義務轉讓予第三人。
        因本合約所生之爭議，雙方同意以臺灣臺北地方法院為第一審管轄法院。
        一方違反本合約之義務時，他方得以書面通知終止合約並請求損害賠償。
        機密資訊於合約終止後仍應繼續保密，不得對外揭露或使用。
        出賣人對於交付後一年內發現之瑕疵，應負擔保責任。
        本合約之修改應以書面為之，並經雙方簽名始生效力。
    """,
    "uk": """
        Цей договір набирає чинності з дня його підписання обома сторонами і діє протягом трьох років.
        Орендар зобов'язаний сплачувати орендну плату не пізніше першого числа кожного місяця.
        Жодна зі сторін не має права передавати свої права без письмової згоди іншої сторони.
        Усі спори вирішуються в судах України відповідно до чинного законодавства.
        У разі істотного порушення зобов'язань інша сторона може розірвати договір в односторонньому порядку.
        Конфіденційна інформація підлягає захисту і після припинення дії цієї угоди.
        Продавець відповідає за приховані недоліки, виявлені протягом року з моменту передачі.
        Зміни до цього договору вносяться лише у письмовій формі за підписом обох сторін.
    """,
}


class Sample(NamedTuple):
    """One text in one encoding."""

    language: str
    encoding: str
    lines: int
    text: str
    data: bytes

    def __str__(self) -> str:
        return f"{self.language} in {self.encoding}, {self.lines} lines"


def own_lines(language: str) -> list[str]:
    """Sentences of our own, numbered like the clauses of a contract."""
    sentences = [line.strip() for line in OWN[language].strip().splitlines()]
    return [f"{clause}.{place}. {line}" for clause in range(1, 8) for place, line in enumerate(sentences, 1)]


def policy_lines(collection: Path, language: str) -> list[str]:
    """Lines of real policies, each once."""
    found: set[str] = set()
    for file in sorted((collection / POLICIES[language]).rglob("*")):
        if file.is_file():
            found.update(line[:200] for line in file.read_text(encoding="utf-8").splitlines() if len(line) > 40)
    return sorted(line.replace("\ufeff", "") for line in found)


def samples(texts: dict[str, Sequence[str]], generator: random.Random, long: int, short: int) -> Iterator[Sample]:
    """For each language and each of its encodings, some long samples and some short ones."""
    for language, lines in texts.items():
        for encoding in (*ENCODINGS[language], *UNICODE):
            for size, count in ((LONG, long), (SHORT, short)):
                for _ in range(count):
                    start = generator.randrange(max(len(lines) - size, 1))
                    end = generator.choice(("\n", "\r\n"))
                    text = _possible(end.join(lines[start : start + size]) + end, encoding)
                    yield Sample(language, encoding, size, text, text.encode(encoding))


def _possible(text: str, encoding: str) -> str:
    """The text without characters that the encoding does not have."""
    text = unicodedata.normalize("NFC", text)
    return text.encode(encoding, "ignore").decode(encoding)
