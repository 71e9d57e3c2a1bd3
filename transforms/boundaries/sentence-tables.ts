/**
 * What the sentence rules know of single languages: abbreviations, words that begin sentences, whether a number with a full stop
 * is an ordinal. Data and how it is looked up; the rules themselves are in sentences.ts. Without a language, the tables of all
 * languages are used together, but for the words that mean something else in another.
 */

/**
 * What the full stop after a word says. `never`: the sentence goes on (titles, "e.g."). `number`: it goes on when a number
 * follows ("No. 5"). `maybe`: it ends only before a word that commonly begins sentences ("Acme Inc. The"). `tail`: it ends unless the
 * next word is in lower case ("etc.").
 */
export type Abbreviation = 'never' | 'number' | 'maybe' | 'tail';

const KINDS = ['never', 'number', 'maybe', 'tail'] as const;

/** Lists are words parted by a blank, without their last full stop. One that begins with a capital is known only with it. */
interface Table {
  readonly never?: string;
  readonly number?: string;
  readonly maybe?: string;
  readonly tail?: string;
  /** Of all these, the words that the language has to be known for: they are common words in another one. */
  readonly local?: string;
  /** Words that commonly begin sentences and seldom names. */
  readonly starters?: string;
  /** Likewise, but parts of names or other words elsewhere: only when the language is known. */
  readonly localStarters?: string;
  /** A number or Roman numeral with a full stop may be an ordinal: "am 3. Mai". */
  readonly ordinals?: boolean;
  /** What follows an ordinal, or a time of day, without a new sentence: months, weekdays, time zones. */
  readonly dates?: string;
}

const EUROPEAN = {
  en: {
    never:
      'mr mrs ms messrs mx dr prof st rev hon Gen Col Lt Sgt Capt Cpl Maj Cmdr Adm Gov Sen Rep Pres Supt Fr Msgr Mt Ft e.g i.e viz cf vs v approx resp Ph M.Sc B.Sc',
    number:
      'no nos vol vols pp p fig figs eq eqs sec ch chap par paras art arts app nr n ver ca c ext Exh op pl pt ed Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec',
    maybe:
      'inc ltd co corp bros jr sr dept est assn Univ Inst Ave Blvd Rd Sq Bldg al eds trans ph.d Cal Calif Conn Fla Ill Mass Mich Minn Miss Penn Tenn Tex Va Wash Wis mfg mgmt govt misc intl Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun hr hrs min',
    tail: 'etc a.m p.m a.d b.c b.c.e c.e esp',
    local: 'fr ft pt ed min op',
    starters:
      'The It He She They We You I A An This That These Those There Their His Her Our My Your Its But And So Then However When After Before If In On At As For From With Under While What Who Why How Where Which Not No Yes Now Here Nobody Everyone Some Many Most All Each One Two Both Only Please See Its Later Today Yesterday Since Although Though Because Until',
    dates:
      'January February March April May June July August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday EST EDT CST CDT MST PST PDT GMT UTC CET BST Eastern Central Pacific',
  },
  de: {
    never:
      'hr fr dr prof dipl ing hrn frl bzw z.b d.h u.a s.o s.u i.d.r v.a o.g sog vgl ggf evtl inkl exkl zzgl bspw insb i.a z.t z.zt zz m.e a.d v.chr n.chr st geb gest verh allg bes ev kath nördl südl usf.a ca',
    number: 'nr s bd bde abs art kap abb tab aufl jg hrsg ziff anm str jan feb mär apr jun jul aug sept okt nov dez vers',
    maybe: 'mio mrd tel std min gmbh co jh jhd abt hbf univ mwst zi',
    tail: 'usw etc ff f usf o.ä u.ä u.v.m u.dgl',
    local: 'fr art min str s bes ev f ff z st ca tab co so vers abs hr',
    starters:
      'Der Das Er Sie Es Wir Ich Ihr Ein Eine Einen Einem Und Aber Oder Doch Dann Danach Dort Hier Dies Diese Dieser Dieses Im Am Auf Bei Mit Nach Vor Wenn Als Weil Wer Wie Wo Warum Man Sein Seine Ihre Mein Meine Unser Nur Auch So Heute Gestern Morgen Jetzt Nun Kein Keine Alle Niemand Später Trotzdem Deshalb Für Zum Zur Seit Bis Ohne',
    localStarters: 'Die Den Dem In Was An Von Durch Zu Ob Da',
    dates:
      'Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhundert Jahrhunderts Jh Jahrestag Geburtstag Klasse Stock Platz Kapitel Lebensjahr Weltkrieg',
    ordinals: true,
  },
  fr: {
    never: 'M MM mme mmes mlle mlles dr pr me mgr st ste p.ex c.-à-d cf env vs',
    number: 'no n p pp vol art chap fig éd t janv févr avr juil sept oct nov déc',
    maybe: 'av bd tél apr j.-c cie sté min max',
    tail: 'etc',
    local: 'me pr ste max min t n no art',
    starters:
      'Il Elle Ils Elles Nous Vous On Ce Cette Ces Un Une Mais Et Puis Ensuite Alors Donc Dans Sur Avec Pour Quand Lorsque Après Avant Si Je Tu C J Qu Quel Quelle Pourquoi Où Comment Personne Tout Aujourd Hier Demain Ici Là Son Sa Ses Leur Depuis Pendant Ainsi Cependant',
    localStarters: 'Le La Les L D Des Du De À En Au Aux Par Qui Que Ne N S',
    dates: 'Janvier Février Mars Avril Juin Juillet Août Septembre Octobre Novembre Décembre',
  },
  es: {
    never: 'sr sra sres srta dr dra d dña prof ud uds vd vds p.ej p.e gral ing lic arq sto sta fray mons v.gr aprox cf',
    number: 'n núm nº n.º pág págs p pp vol art cap fig tomo ed km c apdo ene feb abr jun jul ago sept oct nov dic',
    maybe: 'av avda cía c.a s.a s.l tel teléf ee.uu edo dpto izq dcha a.c d.c min máx rep',
    tail: 'etc a.m p.m',
    local: 'art ed d c sta sto lic fig km min s.a',
    starters:
      'Él Ella Ellos Ellas Nosotros Yo Tú Un Una Unos Unas Pero Y Luego Después Entonces Cuando Donde Si En Este Esta Esto Ese Esa Eso Aquel Con Por Para Desde Nadie Todo Todos Hoy Ayer Mañana Ahora Allí Aquí Su Sus Mi Hay También Así Sin Según Como Cada Más Muchos Nunca',
    localStarters: 'El La Los Las Lo De Del Al A Se No Le Les Me Te Nos Era Fue Es Qué Quién',
    dates: 'Enero Febrero Marzo Abril Mayo Junio Julio Agosto Septiembre Octubre Noviembre Diciembre',
  },
  it: {
    never:
      'sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa ing avv arch geom rag on mons ecc.mo gent egr spett p.es ad.es es cfr ca s',
    number: 'n nn p pp pag pagg vol art artt cap fig tav ed gen feb mar apr mag giu lug ago set ott nov dic',
    maybe: 'tel s.p.a s.r.l spa srl a.c d.c p.zza v.le c.so f.lli min max',
    tail: 'ecc etc',
    local: 'on arch art set mar gen ed es max min rag s nn dic ca mag',
    starters:
      'Il Lo Gli Lui Lei Loro Noi Voi Io Un Una Uno Ma E Poi Quindi Allora Dopo Prima Quando Dove Se Nel Nella Nei Questo Questa Questi Quello Quella Con Per Non Nessuno Tutto Tutti Oggi Ieri Domani Ora Qui Anche Così Senza Secondo Ogni Mentre Perché Chi Suo Sua',
    localStarters: 'La I Le L Da Di In A Al Alla Del Della È C Che Si Ci Mi Era',
    dates: 'Gennaio Febbraio Marzo Aprile Maggio Giugno Luglio Agosto Settembre Ottobre Novembre Dicembre',
  },
  pt: {
    never: 'sr sra srs sras srta dr dra prof profa eng exmo exma v.exa d p.ex v.g aprox cf sto sta',
    number: 'n nº n.º núm pág págs p pp vol art arts cap fig ed séc fl fls jan fev abr mai jun jul ago set out nov dez',
    maybe: 'av tel ltda cia s.a r trav min máx a.c d.c eua depto',
    tail: 'etc a.m p.m',
    local: 'eng art ed d sta sto set out mai fl r min s.a',
    starters:
      'Ele Ela Eles Elas Nós Eu Você Vocês Um Uma Uns Umas Mas E Depois Então Quando Onde Se Em No Na Nos Nas Este Esta Isto Isso Esse Essa Aquele Com Por Para Desde Ninguém Tudo Todos Hoje Ontem Amanhã Agora Ali Aqui Seu Sua Também Assim Sem Segundo Como Cada Mais Muitos Não Há Foi',
    localStarters: 'O A Os As De Do Da Ao À Que Quem É Era Já Só Me',
    dates: 'Janeiro Fevereiro Março Abril Maio Junho Julho Agosto Setembro Outubro Novembro Dezembro',
  },
  nl: {
    never:
      'dhr mevr mw dr drs prof ir ing mr bijv bv b.v d.w.z m.a.w o.a t.o.v i.p.v m.b.t t.a.v n.a.v a.u.b zgn resp ca incl excl vgl st jhr',
    number: 'nr blz p pp art afb hfst jan feb mrt apr jun jul aug sept okt nov dec',
    maybe: 'mln mld tel n.v v.chr n.chr gem min max',
    tail: 'enz etc e.d',
    local: 'art ir mw st bv max min resp gem ca mr',
    starters:
      'Het Hij Zij Ze We Wij Jij Je Ik Een Maar En Toen Daarna Dan Dus Als Wanneer Waar Wie Wat Hoe Waarom Deze Dit Dat Er Op Bij Met Voor Na Naar Niemand Alles Iedereen Vandaag Gisteren Morgen Nu Hier Daar Zijn Haar Ook Zonder Volgens Elke Veel Sinds',
    localStarters: 'De Die In Van Om Te Aan Uit',
    dates: 'Januari Februari Maart Mei Juni Juli Augustus',
  },
  pl: {
    never: 'p pp inż mgr dr prof hab lek św ks bp gen płk mjr kpt por tzn tzw np m.in ul al pl im wg tj ob śp hr os',
    number: 'nr str s rozdz rys tab poz art ust pkt t godz zob por',
    maybe: 'r w tys mln mld tel zł gr sp sp.z.o.o m woj pow wyd red ok min',
    tail: 'itd itp in',
    local: 'in gen al pl im por t s m os ok art tab p pp w gr min sp hr red',
    starters:
      'On Ona Ono Oni My Wy Ja Ty Ale I A Potem Wtedy Następnie Kiedy Gdy Gdzie Jeśli Jak W Na Po Przed Z Za Do Od Ten Ta To Te Ci Tamten Nikt Wszystko Wszyscy Dziś Wczoraj Jutro Teraz Tu Tam Jego Jej Ich Też Bez Według Każdy Nie Tak Był Była Było Dlatego Jednak',
    ordinals: true,
  },
  cs: {
    never: 'p pí dr mudr judr ing mgr bc prof doc sv např tzv tzn tj mj cca gen plk kpt',
    number: 'č čís str s odst čl kap obr tab roč hod min',
    maybe: 'r tis mil mld tel kč ul nám spol s.r.o a.s',
    tail: 'atd apod aj',
    local: 'p s r gen min tab mil doc bc tel',
    starters:
      'On Ona Ono Oni My Vy Já Ty Ale Pak Potom Když Kde Jestli Jak V Na Po Před Z Za Do Od Ten Ta To Tento Tato Nikdo Všechno Dnes Včera Zítra Teď Tady Tam Jeho Její Také Bez Podle Každý Ne Byl Byla Bylo Proto Však',
    ordinals: true,
  },
  sv: {
    never: 't.ex dvs d.v.s bl.a s.k f.d m.a.o ca resp st fr dr prof hr jfr',
    number: 'nr s sid kap art fig tel kl',
    maybe: 'milj mdr f.kr e.kr',
    tail: 'osv etc m.m m.fl o.s.v',
    local: 'st fr s art hr ca resp',
    starters:
      'Han Hon Det Den De Vi Jag Du Ni Man En Ett Men Och Sedan Då När Där Om Hur Varför Vem Denna Detta På Efter Före Med Ingen Alla Idag Igår Nu Här Också Utan Enligt Varje',
  },
  da: {
    never: 'f.eks bl.a dvs d.v.s ca hr fr dr prof jf pga p.g.a mht m.h.t sml',
    number: 'nr s kap art fig kl tlf bd',
    maybe: 'mio mia f.kr e.kr',
    tail: 'osv etc mv m.m m.v',
    local: 's art hr fr ca',
    starters:
      'Han Hun Det Den De Vi Jeg Du Man En Et Men Og Så Da Når Hvor Hvis Hvordan Hvorfor Hvem Denne Dette På Efter Før Med Ingen Alle Nu Her Også Uden Ifølge Hver',
    localStarters: 'I',
    ordinals: true,
  },
  tr: {
    never: 'dr prof doç av sn bkz örn yrd op müh mim alb yzb hz st',
    number: 'no s sf cilt md mad tel kat bl',
    maybe: 'cad sok mah apt ltd şti a.ş m.ö m.s yy',
    tail: 'vb vs vd',
    local: 'op no s vs vd kat st vb',
    starters:
      'O Bu Şu Biz Siz Ben Sen Onlar Ama Ve Sonra Ancak Fakat Çünkü Eğer Bir Daha Her Hiç Kimse Bugün Dün Yarın Şimdi Burada Orada Ne Nasıl Neden Kim',
    ordinals: true,
    dates: 'Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık Yüzyıl Dünya',
  },
} as const satisfies Readonly<Record<string, Table>>;

const OTHERS = {
  ru: {
    never: 'г-н г-жа г-на г-ну т.е т.к т.н т.о ул пр просп пер бул пл наб ст им проф акад доц тов гр св ср см напр дж',
    number: 'стр гл рис табл т п пп с № кв д корп к янв февр апр авг сент окт нояб дек',
    maybe: 'г гг в вв руб коп тыс млн млрд тел обл р-н чел мин час сек изд н.э',
    tail: 'т.д т.п др пр др.т проч',
    starters:
      'Он Она Оно Они Мы Вы Я Ты В На Но И А Потом Затем Когда Где Если Как После Перед До От По С Со За Из У Этот Эта Это Эти Тот Та Те Никто Все Всё Сегодня Вчера Завтра Теперь Сейчас Здесь Там Тут Его Её Их Также Без Согласно Каждый Не Нет Да Был Была Было Однако Поэтому Что Кто Почему Для Под При',
  },
  uk: {
    never: 'п т.зв тобто вул просп пров бул пл ім проф акад доц див напр св ст р-н',
    number: 'с стор гл рис табл т п ч № кв буд січ лют берез квіт трав черв лип серп верес жовт листоп груд',
    maybe: 'р рр м ст грн коп тис млн млрд тел обл хв',
    tail: 'т.д т.п ін тощо',
    starters:
      'Він Вона Воно Вони Ми Ви Я Ти У В На Але І Й А Потім Коли Де Якщо Як Після Перед До Від По З Із За Цей Ця Це Ці Той Та Ніхто Усі Всі Усе Сьогодні Вчора Завтра Тепер Зараз Тут Там Його Її Їх Також Без Кожен Не Ні Так Був Була Було Однак Тому Що Хто Чому Для Під При',
  },
  el: {
    never: 'κ κα κος δρ καθ π.χ δηλ βλ λ.χ αγ στρ υπ',
    number: 'σελ σ αρ άρθ κεφ εικ τομ τηλ αριθ παρ',
    maybe: 'δις εκ χιλ π.μ μ.μ π.χ μ.χ α.ε ε.ε',
    tail: 'κ.λπ κλπ κ.ά κ.τ.λ κτλ κ.ο.κ',
    starters:
      'Ο Η Το Οι Τα Αυτός Αυτή Αυτό Αλλά Και Μετά Τότε Όταν Πού Αν Πώς Στο Στη Στην Στον Στις Στους Με Για Από Κανείς Όλα Όλοι Σήμερα Χθες Αύριο Τώρα Εδώ Εκεί Ένας Μία Μια Ένα Δεν Θα Να Ήταν Είναι Γιατί Εμείς Εγώ Εσύ Όμως',
  },
  hi: {
    never: 'डॉ प्रो श्री श्रीमती सुश्री कु पं स्व इं मु सं रु कि.मी मि',
    number: 'क्र सं पृ पृष्ठ',
    starters: 'यह वह ये वे मैं हम तुम आप लेकिन और फिर जब अगर इस उस सब आज कल अब यहाँ वहाँ',
  },
  ar: {
    never: 'د أ م ص ج هـ أ.د',
    number: 'ص ج م ق',
    maybe: 'ق.م ت',
    tail: 'إلخ الخ',
    starters: 'هو هي هم نحن أنا هذا هذه ذلك لكن ثم وقد كان كانت في على من',
  },
  fa: { number: 'ص ج', maybe: 'ق.م', tail: 'غیره', starters: 'او آن این ما من شما آنها اما و سپس در از به با' },
  he: { never: "פרופ' ד", number: "עמ' מס'", starters: 'הוא היא הם אנחנו אני זה זאת אבל ואז אחר של את על' },
} as const satisfies Readonly<Record<string, Table>>;

const TABLES: Readonly<Record<string, Table>> = { ...EUROPEAN, ...OTHERS };

/** The tables of one language, or of all, ready to be asked. */
export interface Vocabulary {
  readonly abbreviations: ReadonlyMap<string, Abbreviation>;
  readonly starters: ReadonlySet<string>;
  readonly dates: ReadonlySet<string>;
  readonly ordinals: boolean;
  /** The semicolon is a question mark, whatever stands before it. */
  readonly greek: boolean;
  /** Words that show the language to be known. */
  readonly language: string | undefined;
}

const words = (list: string | undefined): readonly string[] => (list === undefined ? [] : list.split(' '));

function joined(tables: readonly Table[], known: string | undefined): Vocabulary {
  const abbreviations = new Map<string, Abbreviation>();
  const starters = new Set<string>();
  const dates = new Set<string>();
  for (const table of tables) {
    const local = new Set(known === undefined ? words(table.local) : []);
    for (const kind of KINDS)
      for (const word of words(table[kind])) if (!local.has(word) && !abbreviations.has(word)) abbreviations.set(word, kind);
    for (const word of words(table.starters)) starters.add(word);
    if (known !== undefined) for (const word of words(table.localStarters)) starters.add(word);
    for (const word of words(table.dates)) dates.add(word);
  }
  const ordinals = known !== undefined && tables.some((table) => table.ordinals === true);
  return { abbreviations, starters, dates, ordinals, greek: known === 'el', language: known };
}

const cache = new Map<string, Vocabulary>();

/** What is known of a language, given by a tag such as `de` or `pt-BR`. Without one, or for one without a table: of all. */
export function vocabularyOf(tag?: string): Vocabulary {
  const language = tag?.toLowerCase().split(/[-_]/, 1)[0] ?? '';
  const table = TABLES[language];
  const key = table === undefined ? '' : language;
  let found = cache.get(key);
  if (found === undefined) {
    found = table === undefined ? joined(Object.values(TABLES), undefined) : joined([table], language);
    cache.set(key, found);
  }
  return found;
}
