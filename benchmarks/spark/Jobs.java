import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Spark jobs to record: Jobs wordcount|sort|grep|components INPUT ROUNDS, on one core. */
public final class Jobs {
    private Jobs() {}

    public static void main(String[] arguments) {
        SparkConf conf = new SparkConf().setAppName(arguments[0]).setMaster("local[1]")
            .set("spark.ui.enabled", "false").set("spark.default.parallelism", "8");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            for (int round = 0; round < Integer.parseInt(arguments[2]); round++) {
                JavaRDD<String> lines = spark.textFile(arguments[1], 8);
                System.err.println(arguments[0] + ": " + run(arguments[0], lines));
            }
        }
    }

    private static long run(String job, JavaRDD<String> lines) {
        switch (job) {
            case "wordcount": return wordCount(lines);
            case "sort": return sort(lines);
            case "grep": return grep(lines);
            case "components": return components(lines);
            default: throw new IllegalArgumentException(job);
        }
    }

    private static JavaRDD<String> words(JavaRDD<String> lines) {
        return lines.flatMap(line -> Arrays.asList(line.split(" ")).iterator());
    }

    private static long wordCount(JavaRDD<String> lines) {
        return words(lines).mapToPair(word -> new Tuple2<>(word, 1)).reduceByKey(Integer::sum).count();
    }

    private static long sort(JavaRDD<String> lines) {
        return words(lines).sortBy(word -> word, true, 8).filter(word -> word.length() > 3).count();
    }

    private static long grep(JavaRDD<String> lines) {
        Pattern pattern = Pattern.compile("w[0-9]*7[13579]* w1");
        return lines.filter(line -> pattern.matcher(line).find()).count();
    }

    /** Connected components by the least label of neighbours; lines are edges "wA wB ...". */
    private static long components(JavaRDD<String> lines) {
        JavaPairRDD<String, String> edges = lines.flatMapToPair(line -> {
            String[] words = line.split(" ");
            List<Tuple2<String, String>> found = new ArrayList<>();
            for (int n = 1; n < words.length; n++) {
                found.add(new Tuple2<>(words[n - 1], words[n]));
                found.add(new Tuple2<>(words[n], words[n - 1]));
            }
            return found.iterator();
        }).distinct().cache();
        JavaPairRDD<String, String> labels = edges.keys().distinct().mapToPair(v -> new Tuple2<>(v, v));
        for (int step = 0; step < 4; step++) {
            JavaPairRDD<String, String> sent = edges.join(labels).mapToPair(pair -> pair._2);
            labels = labels.union(sent).reduceByKey((a, b) -> a.compareTo(b) < 0 ? a : b);
        }
        return labels.values().distinct().count();
    }
}
